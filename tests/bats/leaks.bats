#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof leaks: what it says of each block is what the program made of it.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# built PROGRAM: targets/reach in one of its forms, with all its blocks
built() {
	start reach "$T/$1"
	tell_await reach build '^built$'
}

# leaks ARG...: its answer is in the file leaks
leaks() {
	looked leaks "$@"
}

# as_made [OPTION]: the answer in leaks is what the program has said
as_made() {
	local wrong
	wrong=$(python3 "$ROOT/tests/lib/reachtable.py" --check "$@" reach.out mprof=leaks) || {
		fail "not as the program made them:" "$wrong"
		return 1
	}
}

@test "every block has the class that the program gave it" {
	for form in reach reach-static reach-stripped; do
		mkdir "$form" && cd "$form"
		built "$form"
		leaks --format=json --possible=yes "$PID"
		as_made
		[ "$(jq '[.classes[].blocks] | add' leaks)" = "$(jq .blocks leaks)" ]
		[ "$(jq .doubtful leaks)" = false ]
		finish reach
		cd ..
	done
}

@test "without idioms what they are good for is possible" {
	built reach
	leaks --format=json --possible=yes --idioms=no "$PID"
	as_made --without-idioms
	[ "$(jq '.idioms | length' leaks)" = 0 ]
	leaks --format=json --possible=yes "$PID"
	[ "$(jq '[.idioms[] | select(.kind == "the same place in all") | .blocks] | add' leaks)" = 400 ]
	jq -e '[.idioms[] | select(.kind == "tag bits or a short header") | .blocks] | add >= 14' leaks
	finish reach
}

# The idiom cannot know that the pointers into the blocks are old ones.
@test "what only old pointers lead to, into the same place of 16 blocks, is reachable by idioms" {
	start forgets "$T/forgets"
	tell_await forgets 'keep 10 40' '^kept$'
	for n in 15 16; do
		tell_await forgets "leave $n 600" "^left $n\$"
		leaks --format=json "$PID"
		by_idioms=$((n < 16 ? 0 : n))
		[ "$(jq -c '[.classes.possible.blocks, ([.idioms[] | select(.kind == "the same place in all") | .blocks] | add // 0)]' leaks)" = \
			"[$((n - by_idioms)),$by_idioms]" ] || fail "$n" "$(cat leaks)"
		leaks --format=json --idioms=no "$PID"
		[ "$(jq .classes.possible.blocks leaks)" = "$n" ] || fail "$n without idioms" "$(cat leaks)"
	done
	# of the 15, nothing is left by now
	jq -e '.classes.lost_direct.blocks == 15' leaks || fail "lost" "$(cat leaks)"
	finish forgets
}

@test "the text says what the JSON says" {
	built reach
	leaks --format=json --possible=yes "$PID" && cp leaks json
	leaks "$PID"
	! grep -q possible.bytes leaks
	leaks --verbose --possible=yes "$PID"
	grep -Eqx "mprof: process $PID \(reach\): stopped for [0-9.]+ ms; [0-9]+ blocks; checks: all hold" leaks ||
		fail "first line" "$(cat leaks)"
	jq -r '.classes | "\(.lost_direct.blocks) \(.lost_direct.bytes) \(.lost_through.blocks) \(.lost_through.bytes)",
		"\(.possible.blocks) \(.possible.bytes)", "\(.reachable.blocks) \(.reachable.bytes)"' json >want
	jq -r '.lost[] | "\(.bytes) \(.blocks) \(.through_bytes) \(.through_blocks) \(.usable)"' json >>want
	jq -r '.possible[] | "\(.bytes) \(.blocks) \(.usable)"' json >>want
	sed -n '2,$p' leaks | sed -E "s/ of them .*//; /^'mprof attach /d" | grep -E '[0-9]' |
		sed -E 's/[^0-9 ]//g; s/ +/ /g; s/^ | $//g' >got
	diff want got || fail "other numbers" "$(cat leaks)"
	# Most bytes with what is lost through them first.
	[ "$(sed -n 7p leaks)" = "$(grep -E ' 440 usable$' leaks)" ]
	leaks -o file "$PID"
	[ ! -s leaks ]
	grep -q '^lost directly' file
	finish reach
}

@test "copies taken while it runs say the same of what stands still, and nothing more of what is on its way" {
	built reach
	leaks --passes=2 --format=json --possible=yes "$PID"
	as_made
	[ "$(jq -c '[.passes, .looks]' leaks)" = '[2,2]' ]
	leaks --passes=2 "$PID"
	[ "$(sed -n 2p leaks)" = 'lost was seen in all of 2 passes' ]
	refused 2 'option passes: "1" is not a number of passes from 2 to 8' "$MPROF" leaks --passes=1 "$PID"
	finish reach
	start tabled "$T/tabled" 4 8000
	tell_await tabled churn '^churning$'
	before "$PID"
	leaks --format=json "$PID" --passes=2
	jq -e '.blocks > 1000' leaks
	tell_await tabled still '^stilled$'
	clean "$PID"
	finish tabled
}

@test "how to know who requests it is said where that is so" {
	for form in reach reach-static; do
		mkdir "$form" && cd "$form"
		start reach "$T/$form"
		tell_await reach build '^built$'
		leaks --format=json "$PID"
		not grep -q 'mprof attach' leaks leaks.err
		leaks "$PID"
		if "$MPROF" probes "$PID" >probes 2>&1; then
			[ "$(tail -n 1 leaks)" = "'mprof attach --before=walk $PID' and, later, 'mprof leaks $PID' tell who requests what is lost from then on" ] ||
				fail "no advice" "$(cat leaks)"
			attach --before=walk --max-pause=60000 "$PID"
			leaks "$PID"
			detach -o /dev/null "$PID"
		fi
		# In a session it is followed already; of a program that nothing would be trapped in it would not be true.
		not grep -q 'mprof attach' leaks
		finish reach
		cd ..
	done
	grep -q 'malloc' reach/probes
	grep -q 'nothing would be trapped' reach-static/probes
}

@test "a status says that more is lost than may be" {
	built reach
	leaks "--fail-if=lost>4G" "$PID"
	leaks "--fail-if=lost-blocks>9042" "$PID"
	leaks "--fail-if=possible>1M" "$PID"
	for more in 'lost>0' 'lost>3M' 'lost-blocks>9041' 'possible>0' 'possible-blocks>213'; do
		got=0
		limited "$MPROF" leaks "--fail-if=$more" "$PID" >leaks 2>leaks.err || got=$?
		[ "$got" = 12 ] || fail "$more: status $got"
		a_sentence leaks.err "process $PID: --fail-if=$more: there are [0-9]+ (blocks|bytes)"
		# What was found has been printed all the same.
		grep -q '^lost directly' leaks
	done
	refused 2 'option fail-if: "lost" is not lost>BYTES, lost-blocks>COUNT' "$MPROF" leaks --fail-if=lost "$PID"
	refused 2 'option fail-if: "lost>-1" is not' "$MPROF" leaks '--fail-if=lost>-1' "$PID"
	refused 2 'option fail-if: "lost-blocks>1K" is not' "$MPROF" leaks '--fail-if=lost-blocks>1K' "$PID"
	refused 2 'option idioms: "maybe" is not yes or no' "$MPROF" leaks --idioms=maybe "$PID"
	finish reach
}

@test "the program goes on, and nothing traces it" {
	start tabled "$T/tabled" 8 8000
	tell_await tabled churn '^churning$'
	before "$PID"
	for i in {1..3}; do
		leaks --format=json "$PID"
		# All that it has is in a table of its own.
		[ "$(jq '.doubtful or .classes.lost_direct.blocks <= 8' leaks)" = true ] || fail "lost" "$(cat leaks)"
		[ "$(grep -h TracerPid "/proc/$PID"/task/*/status | sort -u | tr -dc 0-9)" = 0 ]
	done
	tell_await tabled still '^stilled$'
	leaks --format=json "$PID"
	[ "$(jq -c '[.doubtful, .classes.lost_direct.blocks, .classes.lost_through.blocks]' leaks)" = '[false,0,0]' ] ||
		fail "lost" "$(cat leaks)"
	leaks "$PID"
	not grep -q 'mprof attach' leaks
	clean "$PID"
	finish tabled
}

@test "what cannot be looked at is a sentence and a status" {
	start tabled "$T/tabled" 2 500
	refused 2 'leaks: of which process. Usage: mprof leaks .options. PID.NAME' "$MPROF" leaks
	refused 3 'process 999999999' "$MPROF" leaks 999999999
	finish tabled
}

@test "a session that traces the process is asked, and the answer is the same" {
	built reach
	attach "$PID"
	leaks --format=json --possible=yes "$PID"
	as_made
	leaks --format=json --possible=yes --idioms=no --passes=2 "$PID"
	as_made --without-idioms
	[ "$(jq .passes leaks)" = 2 ]
	refused 12 "process $PID: --fail-if=lost>0: there are [0-9]+ bytes" "$MPROF" leaks '--fail-if=lost>0' -o /dev/null "$PID"
	# The last one of as many as can be given.
	local many=()
	mapfile -t many < <(yes -- '--fail-if=lost>4G' | head -n 63)
	refused 12 "process $PID: --fail-if=lost>0: there are [0-9]+ bytes" "$MPROF" leaks "${many[@]}" '--fail-if=lost>0' \
		-o /dev/null "$PID"
	answered --format=json leaks
	jq -e '.ok and .leaks.classes.lost_direct.blocks == 24' control.out
	detach -o /dev/null "$PID" && finish reach
}

# lost_by FUNCTION: blocks, and what is lost through them, of the rows in leaks whose path ends there
lost_by() {
	jq -r --arg f "$1" '[.lost[] | select(.path != null and .path[-1].function == $f)] |
		"\(map(.blocks) | add // 0) \(map(.through_blocks) | add // 0)"' leaks
}

# all_lost: the rows of the JSON in leaks, a line each, without what does not matter
all_lost() {
	jq -c '.classes, (.lost[] | .path = (.path // [] | map("\(.function):\(.line)") | join(" > ")) | del(.own))' leaks
}

# adds_up: the rows of the JSON in leaks come to what is lost in all
adds_up() {
	jq -e '([.lost[] | {blocks, bytes, through_blocks, through_bytes}] | map(to_entries[]) | group_by(.key) |
		map({key: .[0].key, value: map(.value) | add}) | from_entries) as $rows |
		.classes.lost_direct.blocks == $rows.blocks and .classes.lost_direct.bytes == $rows.bytes and
		.classes.lost_through.blocks == $rows.through_blocks and .classes.lost_through.bytes == $rows.through_bytes' \
		leaks >/dev/null || fail "the rows do not add up" "$(all_lost)"
}

@test "a session that traces the process knows who has requested what is lost" {
	start reach "$T/reach"
	attach "$PID"
	tell_await reach build '^built$'
	leaks --format=json "$PID"
	# lost SIZE BLOCKS THROUGH_BLOCKS THROUGH_BYTES WHAT
	truth=$(awk '$1 == "lost" { n += $3; through += $4; bytes += $5 } END { print n, through, bytes }' reach.out)
	rows='[.lost[] | select([.path[].function] | any(. == "lost_alone" or . == "lost_lists" or . == "lost_cycles"))]'
	[ "$(jq -r "$rows | \"\(map(.blocks) | add) \(map(.through_blocks) | add) \(map(.through_bytes) | add)\"" leaks)" = "$truth" ] ||
		fail "not what the program has lost: $truth" "$(all_lost)"
	jq -e '.lost | all(.path != null and .usable == null and .oldest_ns > 0 and .own.function == "block" and .own.line > 0)' leaks
	adds_up
	cp leaks json
	leaks "$PID"
	grep -Eq '^ +lost bytes +blocks +through them +blocks +oldest +requested by$' leaks || fail "heading" "$(cat leaks)"
	not grep -q ' each, ' leaks
	# What loses most comes first: where to look, and below it the path.
	first=$(grep -n -m 1 ' oldest  ' leaks | cut -d: -f1)
	sed -n "$((first + 1))p" leaks | grep -Eq "^ +3080 +7 +3192000 +7000 +[0-9]+ (s|min)   block \(reach\.c:[0-9]+\)" ||
		fail "the first row" "$(cat leaks)"
	sed -n "$((first + 2))p" leaks | grep -Eq '^ +\.\.\.> .*> lost_lists \(reach\.c:[0-9]+\) > block \(reach\.c:[0-9]+\)$' ||
		fail "its path" "$(cat leaks)"
	detach -o /dev/null "$PID" && finish reach
}

@test "what is lost is from before, of a known path, or of none: told apart" {
	start recycled "$T/recycled"
	tell_await recycled forget '^forgot 500 100$'
	attach --before=walk --max-pause=60000 "$PID"
	tell_await recycled forget '^forgot 500 100$' 2
	leaks --format=json "$PID"
	adds_up
	[ "$(lost_by forgotten), $(lost_by forgotten_head)" = "500 0, 100 100" ] || fail "of this session" "$(all_lost)"
	jq -e '[.lost[] | select(.path == null)] == [{path: null, usable: 72, blocks: 600, bytes: 43200, through_blocks: 100,
		through_bytes: 7200, oldest_ns: null, type: null, before: true}]' leaks || fail "from before" "$(all_lost)"
	leaks "$PID"
	grep -A 1 ' each, from before the session$' leaks | grep -Eq '^ +43200 +600 +7200 +100   72 usable$' || fail "text" "$(cat leaks)"
	detach -o /dev/null "$PID"
	# Nobody has looked what there was before, and others are not recorded.
	attach --min-size=73 "$PID"
	leaks --format=json "$PID"
	adds_up
	jq -e '.lost | length == 1 and .[0].path == null and .[0].blocks == 1200 and (.[0] | has("before") | not)' leaks ||
		fail "of no path" "$(all_lost)"
	leaks "$PID"
	grep -A 1 ' each, requested by nobody knows whom$' leaks | grep -Eq '^ +86400 +1200 +14400 +200   72 usable$' ||
		fail "text" "$(cat leaks)"
	detach -o /dev/null "$PID" && finish recycled
}

# The fast engine keeps words of the program's stacks and registers in memory that it shares with it.
@test "what an engine of ours has in the program's memory is no pointer of the program's" {
	local engine
	cat >lists.c <<-'EOT'
		#include "live.h"
		struct item { struct item *next; long v[3]; };
		__attribute__((noinline)) static void list(void)
		{
			struct item *head = NULL;
			for (int i = 0; i < 500; i++) {
				struct item *it = calloc(1, sizeof *it);
				it->next = head;
				head = it;
				__asm__ volatile("" : : "r"(it) : "memory");
			}
		}
		__attribute__((noinline)) static void clear(void)
		{
			volatile char b[65536];
			memset((void *)b, 0, sizeof b);
		}
		static atomic_int done;
		static void *work(void *arg)
		{
			list();
			clear();
			if (++done == 4)
				say("listed\n");
			for (;;)
				pause();
			return arg;
		}
		static void report(void) { say("report 1\n"); }
		static void go(const char *word)
		{
			pthread_t t;
			for (int i = 0; i < 4; i++)
				pthread_create(&t, NULL, work, NULL);
			(void)word;
		}
		int main(void) { say("ready %d\n", (int)getpid()); live_serve(report, go); return 0; }
	EOT
	cc -g -O1 -fno-builtin -D_GNU_SOURCE -I"$ROOT/tests/targets" -pthread -o lists lists.c
	for engine in trap fast; do
		start lists ./lists
		attach --engine=$engine -o /dev/null --data=run.data "$PID"
		tell_await lists go '^listed'
		leaks --format=json "$PID"
		jq -e '[.classes.lost_direct.blocks, .classes.lost_through.blocks] == [4, 1996]' leaks ||
			fail "$engine" "$(jq -c .classes leaks)"
		detach "$PID"
		json run.data
		jq -e '[.reach.lost_direct.blocks, .reach.lost_through.blocks] == [4, 1996]' report.json ||
			fail "$engine" "$(jq -c .reach report.json)"
		finish lists
		rm -f lists.in
	done
}

@test "addresses go from who loses to who does not, and back: never a wrong path" {
	start recycled "$T/recycled"
	attach "$PID"
	tell_await recycled forget '^forgot 500 100$'
	tell_await recycled churn '^churning$'
	known=0
	for how in '' '' --passes=2 '' --passes=2 ''; do
		leaks --format=json $how "$PID"
		adds_up
		wrong=$(jq -c '[.lost[] | select(.path != null) | .path[-1].function] | unique - ["forgotten", "forgotten_head", "hidden"]' leaks)
		[ "$wrong" = '[]' ] || fail "who loses nothing" "$wrong" "$(all_lost)"
		# Half of an old pointer on the busy thread's stack may lead to any block; no more than a few of them.
		read -r alone _ < <(lost_by forgotten)
		read -r heads through < <(lost_by forgotten_head)
		((alone <= 500 && heads <= 100 && through <= 100)) || fail "more than is lost" "$(all_lost)"
		[ "$(jq .doubtful leaks)" = true ] || ((alone > 490 && heads > 90 && through > 90)) ||
			fail "not all that is lost" "$(all_lost)"
		read -r hidden _ < <(lost_by hidden)
		known=$((known + hidden))
		progress recycled
	done
	echo "# hidden blocks of a known path: $known"
	[ "$known" -gt 0 ]
	tell_await recycled still '^stilled$'
	leaks --format=json "$PID"
	[ "$(lost_by forgotten), $(lost_by forgotten_head), $(lost_by hidden)" = "500 0, 100 100, 4096 0" ] ||
		fail "not all that is lost" "$(all_lost)"
	jq -e '.lost | all(.path != null)' leaks
	detach -o /dev/null "$PID" && finish recycled
}

# Within the second between two copies each block of hidden() is freed, and many a time: what is lost
# at its address then is another one. Those of forgotten() are the same.
@test "what was lost and what is, at the same address, are not the same block" {
	cc -g -O1 -D_GNU_SOURCE -DRING=512 -I"$ROOT/tests/targets" -pthread -o few "$ROOT/tests/targets/recycled.c"
	start few ./few
	attach "$PID"
	tell_await few forget '^forgot 500 100$'
	tell_await few churn '^churning$'
	for _ in 1 2 3; do
		leaks --format=json --passes=2 "$PID"
		adds_up
		# Where all is slow some have been there since the first copy, and so for a second.
		jq -e 'all(.lost[]; .path == null or .path[-1].function != "hidden" or .oldest_ns >= 1000000000)' leaks ||
			fail "freed meanwhile" "$(all_lost)"
		read -r alone _ < <(lost_by forgotten)
		((alone > 490)) || fail "not all that is lost" "$(all_lost)"
	done
	detach -o /dev/null "$PID" && finish few
}

# Stopped half of the time, it hears of what the program does when the copy has long been made.
@test "a tracing process that is late, of a program that runs while it is copied: never a wrong path" {
	start recycled "$T/recycled"
	attach --engine=fast "$PID"
	tell_await recycled forget '^forgot 500 100$'
	tell_await recycled churn '^churning$'
	local i alone tracer LIMIT=$((LIMIT * 6))
	tracer=$(tracer_of "$PID")
	for ((i = 0; i < 2; i++)); do
		leaks --format=json --passes=2 "$PID" &
		local asking=$!
		while kill -0 $asking 2>/dev/null; do
			kill -STOP "$tracer"
			sleep 0.02
			kill -CONT "$tracer"
			sleep 0.02
		done
		wait $asking || fail "leaks: $?" "$(cat leaks.err)"
		wrong=$(jq -c '[.lost[] | select(.path != null) | .path[-1].function] | unique - ["forgotten", "forgotten_head"]' leaks)
		[ "$wrong" = '[]' ] || fail "who loses nothing" "$wrong" "$(all_lost)"
		read -r alone _ < <(lost_by forgotten)
		((alone > 490)) || fail "not all that is lost" "$(all_lost)"
	done
	detach -o /dev/null "$PID" && finish recycled
}

@test "what came and went while the session was suspended was not seen: never a wrong path" {
	start recycled "$T/recycled"
	attach --before=walk --max-pause=60000 "$PID"
	tell_await recycled forget '^forgot 500 100$'
	tell_await recycled churn '^churning$'
	answered suspend
	# Each address changes hands, and nobody sees it.
	progress recycled 1 20000
	tell_await recycled still '^stilled$'
	answered resume
	tell_await recycled forget '^forgot 500 100$' 2
	leaks --format=json "$PID"
	adds_up
	wrong=$(jq -c '[.lost[] | select(.path != null) | .path[-1].function] | unique - ["forgotten", "forgotten_head"]' leaks)
	[ "$wrong" = '[]' ] || fail "who loses nothing" "$wrong" "$(all_lost)"
	# Of the first ones nobody can say that nobody has freed them meanwhile.
	[ "$(lost_by forgotten), $(lost_by forgotten_head)" = "500 0, 100 100" ] || fail "not what was seen" "$(all_lost)"
	jq -e '[.lost[] | select(.path == null) | .blocks] == [4696]' leaks || fail "not what was not" "$(all_lost)"
	detach --format=json "$PID" && mv detach.out report.json
	jq -r '.leaks[] | select(.lost.blocks + .lost.through_blocks > 0) | "\(.path[-1].function) \(.lost.blocks) \(.lost.through_blocks)"' report.json | sort >lost
	diff - lost <<-'END' || fail "the last look has seen others"
		forgotten 500 0
		forgotten_head 100 0
		forgotten_tail 0 100
	END
	finish recycled
}

@test "beside memcheck and LeakSanitizer, as doc/leaks.md has it" {
	type -P valgrind >/dev/null || skip "valgrind is not installed"
	built reach
	leaks --format=json --possible=yes "$PID"
	printf 'build\nleave\n' | limited valgrind --leak-check=full --show-leak-kinds=all "$T/reach" \
		>memcheck.out 2>memcheck
	printf 'build\nleave\n' | LSAN_OPTIONS=fast_unwind_on_malloc=0 limited "$T/reach-lsan" >lsan.out 2>lsan || :
	python3 "$ROOT/tests/lib/reachtable.py" reach.out mprof=leaks memcheck=memcheck LeakSanitizer=lsan >table
	diff <(sed -n '/^| blocks/,/^| all:/p' "$ROOT/doc/leaks.md" | grep -v '^| all:') <(grep '^| ' table | sed '/^| all:/,$d') ||
		fail "another table" "$(cat table)"
	finish reach
}

# nothing_lost PROGRAM [ARG...]: a program that people use, which has said "ready" and reads on
nothing_lost() {
	PROGRAM=$(binary "$1") || skip "$1 is not installed"
	shift
	start real "$PROGRAM" "$@"
	leaks --format=json "$PID"
	[ "$(jq -c '[.doubtful, .classes.lost_direct.blocks, .classes.lost_through.blocks]' leaks)" = '[false,0,0]' ] ||
		fail "lost" "$(cat leaks)"
	jq -e '.classes.reachable.blocks > 1000' leaks
}

@test "python3 has lost nothing" {
	nothing_lost python3 -c 'import json, re, sys, asyncio, decimal
d = {i: [str(i)] * 3 for i in range(50000)}
for i in range(0, 50000, 3): del d[i]
print("ready", 1, flush=True); sys.stdin.readline()'
	tell real quit
	ended "$PID"
}

@test "perl has lost nothing" {
	# shellcheck disable=SC2016
	nothing_lost perl -e 'my %h; push @{$h{$_ % 97}}, "item $_" x ($_ % 9) for 1 .. 20000; delete $h{$_} for 1 .. 30; $| = 1; print "ready 1\n"; <STDIN>'
	tell real quit
	ended "$PID"
}

@test "sqlite3 has lost nothing, and nearly nothing is possible" {
	nothing_lost sqlite3 -cmd "create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) insert into t select i, 'row ' || i from n; delete from t where a % 3 = 0; create index tb on t(b); select 'ready 1';" :memory:
	jq -e '.classes.possible.blocks <= 3' leaks || fail "possible" "$(cat leaks)"
	tell real .quit
	ended "$PID"
}

@test "gdb has lost nothing" {
	nothing_lost gdb -nx -q -ex 'break main' -ex 'info functions main' -ex 'echo ready 1\n' "$T/reach"
	tell real quit
	ended "$PID"
}
