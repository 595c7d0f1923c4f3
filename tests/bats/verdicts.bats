#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Verdicts: what grows, what is a cache, by call site. The target takes as many steps as it needs to have
# gone on evenly, so that no verdict depends on how busy the machine is.

bats_require_minimum_version 1.5.0
load ../lib/common

# It may take 6000 steps: a minute by itself, and several of a machine that is busy now and then.
LIMIT=$((LIMIT * 5))

EARLY=--verdict-after=0.4 # a hundredth of the usual, for programs that take seconds

# verdicts REPORT.json: FUNCTION VERDICT, by function
verdicts() {
	jq -r '.leaks[] | "\(.path[-1].function) \(.verdict.name)"' "$1" | sort
}

patterns() { # ENGINE
	limited "$MPROF" run --engine="$1" $EARLY --verdicts=yes -o "$1.txt" --data="$1.data" -- "$T/patterns" >out 2>err
	limited "$MPROF" report --format=json "$1.data" >"$1.json"
	cat "$1.txt" >&2
	printf '%s\n' 'collect steady' 'enqueue steady' 'init once' 'lose grows' 'remember cached' |
		diff - <(verdicts "$1.json" | sed 's/ brief$/ steady/')
	jq -e '.leaks[] | select(.path[-1].function == "lose").verdict |
		.z > 2.58 and .rate_bytes_hour > 0 and (.stays | . > 0.008 and . < 0.012) and has("since_ns")' "$1.json"
	# one in a hundred, but where a window ends is a matter of time
	grep -Eq ' +GROWS [0-9.]+ [kMG]B/h, (under )?1 % stays +\|\| > main > lose$' "$1.txt"
	grep -Eq ' +cached at 200 blocks +\|\| > main > remember$' "$1.txt"
	grep -Eq ' verdict +path$' "$1.txt"
}

# run.data of the five sites, of one run for all who only look at it
seen() {
	local f=$BATS_FILE_TMPDIR/patterns.data
	[ -s "$f" ] || limited "$MPROF" run $EARLY -o /dev/null --data="$f" -- "$T/patterns" >out 2>err || return 1
	cp "$f" run.data
}

@test "five sites of known pattern are judged as they were made" {
	patterns trap
}

@test "the fast engine's events are judged alike" {
	patterns fast
}

@test "verdicts in SQL are those of the JSON" {
	seen
	limited "$MPROF" report --format=json run.data >run.json
	sqlite3 -separator ' ' run.data 'select f.name, v.name from verdicts v join nodes n on n.id = node
		join sites s on s.id = site join functions f on f.id = function' | sort >sql
	# a chain that keeps nothing is no leak
	verdicts run.json | diff - <(join -j 1 sql <(verdicts run.json | cut -d' ' -f1 | sort))
	[ "$(sqlite3 run.data "select value from meta where key = 'windows_over'")" -ge 32 ]
	[ "$(sqlite3 run.data "select sum(blocks) from survivors")" -le \
		"$(sqlite3 run.data "select sum(allocs - frees) from leaves")" ]
	# a window that is 2^k times the first
	ns=$(sqlite3 run.data "select value from meta where key = 'window_ns'")
	while ((ns > 25000000)); do ns=$((ns / 2)); done
	[ "$ns" = 25000000 ]
}

@test "before the time it is too early, and without the option there is no column" {
	limited "$MPROF" run --verdict-after=100000 -o run.txt --data=run.data -- "$T/patterns" >out 2>err
	limited "$MPROF" report --format=json run.data >run.json
	jq -e '[.leaks[].verdict.name] | unique == ["too early"]' run.json
	limited "$MPROF" report run.data | cmp - run.txt
	limited "$MPROF" report --verdicts=no run.data | cmp - run.txt
	not grep -q verdict run.txt
	limited "$MPROF" report --verdicts=yes run.data >with.txt
	[ "$(grep -c ' too early  *|| > main > ' with.txt)" = 5 ]
	# nothing else is different
	sed -E 's/verdict +//; s/too early +//' with.txt | cmp - run.txt
}

@test "what matters first is said in a few lines: what grows, then what keeps most" {
	limited "$MPROF" run $EARLY --data=run.data -- "$T/patterns" >out 2>err
	limited "$MPROF" report --summary run.data >summary
	[ "$(wc -l <summary)" = 6 ]
	head -1 summary | grep -Eq '^kept by process [0-9]+: [0-9]+ bytes in [0-9]+ blocks, by the lines of the program'
	sed -n 2p summary | grep -Eq '^ +[0-9]+ bytes +[0-9]+ blocks  GROWS [0-9.]+ [kMG]B/h, (under )?1 % stays +lose \(patterns\.c:[0-9]+\)$'
	sed -n 3p summary | grep -Eq '^ +12800 bytes +200 blocks  cached at 200 blocks +remember \(patterns\.c:[0-9]+\)$'
	sed -n 4p summary | grep -Eq '^ +5000 bytes +50 blocks  once +init \(patterns\.c:[0-9]+\)$'
	# the same lines stand after the counts and before the tables
	sed 's/^/mprof: /' summary >said
	grep -axFf said err | cmp - said
	awk '/allocations of/ && !c { c = NR } /^mprof: kept by/ { k = NR } /MPROF/ && !t { t = NR }
		END { exit !(c && c < k && k < t) }' err
	# and of the report apart from it
	limited "$MPROF" report run.data >tables 2>err
	head -1 tables | grep -q MPROF
	grep -axFf said err | cmp - said
}

@test "nothing kept is nothing to say, but by --summary" {
	limited "$MPROF" run -o run.txt --data=run.data -- true >out 2>err
	not grep -aq 'kept by process' err
	limited "$MPROF" report --summary run.data >summary
	grep -Eq '^kept by process [0-9]+: 0 bytes in 0 blocks$' summary
	[ "$(wc -l <summary)" = 1 ]
}

@test "what the runtime keeps is counted apart, in one line" {
	limited "$MPROF" run --data=run.data --summary -o summary -- "$T/runtime" >out 2>err
	cat summary
	grep -Eq '^ +1000 bytes +1 block   too early +main \(runtime\.cc:[0-9]+\)$' summary
	grep -Eq '^kept by the runtime: [0-9]+ bytes in [0-9]+ blocks \(C\+\+ emergency pool 72704, stdio buffers (1024|4096)\)$' summary
	[ "$(wc -l <summary)" = 3 ]
	# the table of leaks is what it was: it has them
	limited "$MPROF" report --verbose run.data >tables
	grep -q ' 72704 ' tables
}

@test "at the peak there are no verdicts" {
	seen
	limited "$MPROF" report --at=peak --format=json run.data >peak.json
	jq -e 'all(.leaks[]; has("verdict") | not)' peak.json
	limited "$MPROF" report --at=peak run.data >plain.txt
	limited "$MPROF" report --at=peak --verdicts=yes run.data | cmp - plain.txt
}

@test "options of verdicts that make no sense are refused" {
	limited "$MPROF" run -o /dev/null --data=run.data -- "$T/plain" >out 2>err
	for o in --depth=3 --summary --verdicts=yes --own-code=plain; do
		# What matters first can be said of a difference, too.
		[ "$o" = --summary ] ||
			refused 2 'means nothing with --base' "$MPROF" report --base=run.data "$o" run.data
		refused 2 'means nothing with --format=folded' "$MPROF" report --format=folded "$o" run.data
		limited "$MPROF" report "$o" run.data >out
	done
	for bad in --verdicts=maybe --verdicts; do
		run -2 limited "$MPROF" report "$bad" run.data
	done
	for bad in --verdict-after=0 --verdict-after=-1 --verdict-after=x; do
		run -2 limited "$MPROF" run "$bad" -- true
	done
}

@test "what own code is can be said, and what no file is called is said" {
	seen
	limited "$MPROF" report --summary --own-code='lib*.so*' run.data >summary 2>err
	! grep -a own-code err
	[ "$(grep -c ", in no code of the program's own$" summary)" = 5 ]
	limited "$MPROF" report --summary --own-code='*/patterns' --own-code=nosuch run.data >named 2>err
	limited "$MPROF" report --summary run.data | cmp - named
	grep -a own-code err >said
	a_sentence said '--own-code=nosuch: no file in the profile has this name'
	limited "$MPROF" report --summary --own-code='lib*' --own-code=auto run.data | cmp - named
}

@test "paths of leaks go as deep as is asked for, and to own code if nothing is" {
	limited "$MPROF" run -o run.txt --data=run.data -- "$T/deepxx" >out 2>err
	# the strings in the vectors: 32 bytes each, some functions of the library down
	path() { # OPTION...
		limited "$MPROF" report --verbose --names=short "$@" run.data | sed -n 's/^ *320 .* 320 ([^)]*) *//p'
	}
	path | grep -Eq '^\.\.\.> fill > std::.* > std::.* > std::.* > std::'
	not grep -q fill <(path --depth=5)
	[ "$(path --depth=5 | grep -o '> ' | wc -l)" = 5 ]
	path --depth=5 | grep -q '^\.\.\.> std::'
	path --depth=all | grep -q '^|| > main > fill > std::'
	[ "$(path --depth=all | sed 's/^|| > main //')" = "$(path | sed 's/^\.\.\.//')" ]
	[ "$(path --depth=1 | grep -o '> ' | wc -l)" = 1 ]
	path --own-code='libstdc++*' --depth=5 | cmp - <(path --own-code='libstdc++*')
	for bad in 0 10001 -1 x; do
		run -2 limited "$MPROF" report "--depth=$bad" run.data
	done
}

@test "a star in the name of a function is any characters" {
	seen
	limited "$MPROF" report --verbose '--ignore-fn=*o*e*' run.data >without 2>err # lose, collect
	not grep -Eq 'lose|collect' without
	grep -q '> enqueue' without
	grep -q '> remember' without
	not grep -aq ignore-fn= err
	limited "$MPROF" report --verbose '--alloc-fn=l*e' run.data >taken 2>err
	not grep -q '> lose' taken
	grep -Eq '\|\| > main$' taken
	limited "$MPROF" report '--alloc-fn=nosuch*' run.data >same 2>err
	grep -a alloc-fn err >said
	a_sentence said 'no function in the profile has this name'
	limited "$MPROF" report run.data | cmp - same
}

@test "direct allocation by lines of the source" {
	seen
	limited "$MPROF" report --lines run.data >lines
	sed -n '/Direct/,/ances/p' lines >direct
	for f in init remember enqueue lose collect; do
		grep -Eq " $f \\(patterns\\.c:[0-9]+\\)$" direct || fail "$f" "$(cat direct)"
	done
	limited "$MPROF" report run.data | sed -n '/Direct/,/ances/p' | cmp - <(sed 's/ ([^ ]*:[0-9]*)$//' direct)
}

# Attached to, nothing says how evenly the program gets on; but of a few turns one is fair.
@test "attach --growth prints what grew meanwhile, and nothing else" {
	MPROF_TEST_MARK=$MARK "$T/patterns" on >out 3>&- &
	pid=$!
	for turn in 1 2 3 4 5; do
		limited "$MPROF" attach --engine=fast --growth=3 -o grew --data=run.data "$pid" 2>err || fail "$(cat err)" ||
			break
		cat grew
		head -1 grew | grep -Eq "^process $pid, [0-9.]+ s: 1 line of the program's own code grew:$" && break
	done
	kill -KILL "$pid"
	wait "$pid" || true
	head -1 grew | grep -Eq "^process $pid, [0-9.]+ s: 1 line of the program's own code grew:$"
	sed -n 2p grew | grep -Eq '^ +[0-9]+ bytes +[0-9]+ blocks  GROWS [0-9.]+ [kMG]B/h, (under )?1 % stays +lose \(patterns\.c:[0-9]+\)$'
	sed -n 3p grew | grep -Eq '^no growth, or too early to say: 3 more lines: [0-9]+ bytes in [0-9]+ blocks$'
	# the cache was full when mprof came
	local old grown said
	limited "$MPROF" report --format=json run.data >run.json
	old=$(jq '.totals.unknown_frees - .totals.inherited_frees' run.json)
	grown=$(sed -n 2p grew | awk '{ print $3 }')
	said=$(grep -Ec "^$old blocks? from before mprof came ha[sv]e? been freed meanwhile: what grows may" grew) || true
	[ "$said" = $((old > 0 && old >= grown / 10)) ] || fail "$old of $grown" "$(cat grew)"
	[ "$(wc -l <grew)" = $((3 + said)) ]
	run -2 limited "$MPROF" attach --growth=0 "$$"
	run -2 limited "$MPROF" run --growth=1 -- true
}

@test "attach --growth of a process that ends early says so, and what there is" {
	mkfifo in
	exec {in}<>in
	MPROF_TEST_MARK=$MARK "$(binary python3)" -c '
print(1, flush=True)
input()
kept = [bytes(5000 + i) for i in range(40)]
import os
os._exit(0)' <in >ready 3>&- &
	local pid=$!
	for _ in {1..3000}; do
		[ ! -s ready ] || break
		sleep 0.02
	done
	limited "$MPROF" attach --growth=1000 -o grew --data=run.data $pid 2>err 3>&- &
	local mprof=$!
	for _ in {1..3000}; do
		! grep -q '^mprof: attached' err || break
		sleep 0.02
	done
	echo >&"$in"
	wait $pid && wait $mprof || fail "$(cat err)"
	cat grew
	head -1 grew | grep -Eq "^process $pid, [0-9.]+ s of 1000, and then it ended or was let go: too early to say what grows; [0-9]+ bytes in [0-9]+ blocks are kept:$"
	[ "$(wc -l <grew)" -ge 2 ]
	awk 'NR > 1 && $1 >= 200000 && $3 >= 40 && /too early/ { f = 1 } END { exit !f }' grew
}

# A list that grows by one object in a hundred, and a dictionary of two hundred that is written over. As
# in the target, until each eighth of the time has had half its share.
STEPS='
import os, time
kept, cache, at = [], {}, []
def even():
    end = time.monotonic()
    of = [0] * 9
    for t in at:
        of[int((t - at[0]) / (end - at[0] + 1e-9) * 8)] += 1
    return all(n * 16 >= len(at) for n in of[:8])
def lose(i):
    b = bytes(3000 + i)
    if i == 50:
        kept.append(b)
def remember(k):
    cache[k % 200] = bytearray(2000)
step = 0
while step < 120 or step < 5000 and not even():
    at.append(time.monotonic())
    for i in range(100):
        lose(i)
    for i in range(10):
        remember(step * 10 + i)
    step += 1
    time.sleep(0.01)
print(len(kept), len(cache), flush=True)
os._exit(0) # or it would free them all
'

@test "python3: a list that grows and a dictionary that does not" {
	limited "$MPROF" run --engine=fast $EARLY -o /dev/null --data=run.data -- \
		"$(binary python3)" -c "$STEPS" >out 2>err || fail "$(cat err)"
	limited "$MPROF" report --format=json run.data >run.json
	lost=$(cut -d' ' -f1 out)
	# by what is kept: 3050 bytes and a header each time, two hundred times 2000 bytes
	jq -r --argjson n "$lost" '.leaks[] | "\(.verdict.name) \(.allocs - .frees) \(.kept_bytes)"' run.json >rows
	head -5 rows
	awk -v n="$lost" '$2 >= n - 1 && $2 <= n + 1 && $3 > 3050 * (n - 1) && $3 < 3200 * (n + 1) && $1 == "grows" { f = 1 }
		END { exit !f }' rows
	awk '$2 >= 195 && $2 <= 205 && $3 > 390000 && $3 < 420000 && $1 == "cached" { f = 1 } END { exit !f }' rows
}
