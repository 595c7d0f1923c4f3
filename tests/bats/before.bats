#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# attach --before: what was there before is known, and told apart when it is freed. Runs with both engines,
# by MPROF_ENGINE.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

attached() {
	attach --max-pause=60000 "$@"
}

# the report of what has been detached
as_json() {
	detach --format=json "$PID" && mv detach.out report.json
}

of_report() {
	jq -e "$1" report.json >/dev/null || fail "not so: $1" "$(jq -c '.totals, .before' report.json)" "$(cat attach.err)"
}

# emptied PROGRAM [VARIABLE=VALUE...]: all that it has is from before; then it frees all, and none is unknown.
emptied() {
	start tabled env "${@:2}" "$T/$1" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	attached --before=walk "$PID" || return 1
	says attach.err " had [0-9]* blocks of [0-9]* bytes usable on its heap; " || return 1
	tell_await tabled empty '^emptied '
	n=$(sed -n 's/^emptied //p' tabled.out)
	as_json || return 1
	[ "$n" -gt 1000 ] || fail "it has freed only $n"
	of_report ".totals.unknown_frees == 0 and .before.freed_blocks == $n and .before.missed == 0" || return 1
	of_report '.before.walked and .totals.kept_objects == 0' || return 1
	# the program's own and what libc keeps for its threads, all told
	of_report ".before.blocks >= $n and .before.blocks <= $n + 20" || return 1
	of_report '([.before.sizes[].blocks] | add) == .before.blocks' || return 1
	of_report '([.before.sizes[] | .blocks * .usable] | add) == .before.bytes' || return 1
	of_report '([.before.sizes[] | .freed * .usable] | add) == .before.freed_bytes' || return 1
	finish tabled
}

@test "all that a program had is freed, and nothing of it is unknown" {
	emptied tabled
}

@test "in a static program, too" {
	emptied tabled-symbols
}

@test "with one arena for all threads" {
	emptied tabled MALLOC_ARENA_MAX=1
}

@test "with blocks that have mappings of their own" {
	emptied tabled MALLOC_MMAP_THRESHOLD_=4096
}

@test "without caches of threads" {
	emptied tabled GLIBC_TUNABLES=glibc.malloc.tcache_count=0
}

@test "with jemalloc" {
	lib=/usr/lib/x86_64-linux-gnu/libjemalloc.so.2
	[ -e "$lib" ] || fail "no $lib"
	emptied tabled LD_PRELOAD="$lib"
}

# Whoever is in a call when it is walked may free one that was not in the books yet, or had left them.
@test "threads at work: at most one free of an unknown block for each, of a hundred thousand" {
	start tabled "$T/tabled" 8 8000
	tell_await tabled 'work 20000' '^worked$'
	tell_await tabled churn '^churning$'
	for try in 1 2 3 4 5 6 7 8 9 10; do
		attached --before=walk "$PID"
		grep -q ' is not known: the allocator.s books do not agree: ' attach.err || break
		detach -o /dev/null "$PID"
	done
	echo "# walked at the first, or after a few goes: $try"
	tell_await tabled 'work 30000' '^worked$'
	tell_await tabled empty '^emptied '
	as_json
	of_report '.totals.frees + .before.freed_blocks > 100000'
	of_report '.totals.unknown_frees <= 8'
	of_report '.before.missed <= 8'
	finish tabled
}

@test "what is left of it is told while the session goes on" {
	start tabled "$T/tabled" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	attached --before=walk "$PID"
	had=$(sed -n 's/.* had \([0-9]*\) blocks of .*/\1/p' attach.err)
	answered before
	head -n 1 control.out | grep -Eqx "before: $had of $had blocks left, ([0-9]+) of \\1 bytes usable" || fail "$(head -n 1 control.out)"
	grep -Eq "^ +TOTAL +$had +[0-9]+ \(\*\*\) +0 +0 +$had +[0-9]+ \(\*\*\)$" control.out || fail "no total" "$(tail -n 1 control.out)"
	tell_await tabled empty '^emptied '
	n=$(sed -n 's/^emptied //p' tabled.out)
	answered before
	head -n 1 control.out | grep -Eqx "before: $((had - n)) of $had blocks left, [0-9]+ of [0-9]+ bytes usable" ||
		fail "$n are freed" "$(head -n 1 control.out)"
	answered --format=json before
	[ "$(wc -l <control.out)" = 1 ]
	as_json
	# Nothing of it was freed meanwhile.
	[ "$(jq -cS .before control.out)" = "$(jq -cS .before report.json)" ] || fail "not what the report has" "$(cat control.out)"
	of_report ".before.freed_blocks == $n and .before.blocks == $had"
	finish tabled
}

@test "what is left is not known if nobody has looked" {
	start tabled "$T/tabled" 2 400
	attached --before=count "$PID"
	refused 1 'of the [0-9]* blocks of [0-9]* bytes usable that were there before nobody knows what is left: attach --before=walk would' \
		"$MPROF" control "$PID" before
	detach -o /dev/null "$PID"
	attached "$PID"
	refused 1 'what was there before is not known: the session was begun without --before=walk' "$MPROF" control "$PID" before
	limited "$MPROF" control --format=json "$PID" before >control.out 2>control.err || :
	jq -e '(.ok | not) and (.error | test("without --before=walk"))' control.out
	detach -o /dev/null "$PID" && finish tabled
}

@test "only counted: the blocks are not known, and their frees neither" {
	start tabled "$T/tabled" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	attached --before=count "$PID"
	tell_await tabled empty '^emptied '
	n=$(sed -n 's/^emptied //p' tabled.out)
	as_json
	of_report ".totals.unknown_frees == $n and .before.blocks >= $n and (.before.walked | not)"
	of_report '.before.sizes == [] and .before.freed_blocks == 0'
	finish tabled
}

@test "not asked for: nothing is said of it" {
	start tabled "$T/tabled" 4 400
	attached "$PID"
	as_json
	of_report 'has("before") | not'
	finish tabled
}

@test "a child begins with what its parent had" {
	start family "$T/family"
	tell_await family blocks '^did blocks$'
	attached --before=walk --trace-children=yes --data=f.data "$PID"
	tell_await family fork '^did fork$'
	as_json
	child=$(echo f.data.*)
	# six of the twenty blocks of one size are freed by the child alone
	usable=5416
	freed() { sqlite3 "$1" "SELECT freed FROM before WHERE usable = $usable"; }
	[ "$(freed f.data)" = 0 ] || fail "$(sqlite3 f.data 'SELECT * FROM before')"
	[ "$(freed "$child")" = 6 ] || fail "$(sqlite3 "$child" 'SELECT * FROM before')"
	[ "$(sqlite3 "$child" "SELECT value FROM meta WHERE key = 'unknown_frees'")" = 0 ]
	finish family
}

@test "more than --max-pause allows: it is said, and the rest is as ever" {
	start tabled "$T/tabled" 4 60000
	tell_await tabled 'work 100000' '^worked$'
	attach --max-pause=1 --before=walk "$PID"
	says attach.err "what process $PID had on its heap before is not known: .*--max-pause"
	tell_await tabled 'work 100' '^worked$'
	as_json
	of_report '(has("before") | not) and .totals.allocs > 0'
	finish tabled
}

@test "another allocator: it is said which one, and the rest is as ever" {
	lib=/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4
	[ -e "$lib" ] || fail "no $lib"
	start tabled env LD_PRELOAD="$lib" "$T/tabled" 2 400
	attached --before=walk "$PID"
	says attach.err 'is not known: its allocator is tcmalloc'
	tell_await tabled 'work 1000' '^worked$'
	as_json
	of_report '(has("before") | not) and .totals.allocs > 0'
	finish tabled
}

@test "the tables, the first screen and the data file have it" {
	start tabled "$T/tabled" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	attached --before=walk --data=a.data "$PID"
	tell_await tabled empty '^emptied '
	detach --verbose "$PID"
	grep -q '^---------  Blocks From Before' detach.out || fail 'no table'
	grep -Eq '^ +TOTAL +[0-9]+ ' detach.out || fail 'no sum'
	"$MPROF" report --summary a.data >screen
	grep -Eq '^before the attach: [0-9]+ blocks of [0-9]+ bytes usable; freed since: [0-9]+ of [0-9]+ bytes$' screen ||
		fail "$(cat screen)"
	blocks=$(sqlite3 a.data 'SELECT sum(blocks) FROM before')
	[ "$blocks" = "$(sqlite3 a.data "SELECT value FROM meta WHERE key = 'before_blocks'")" ]
	[ "$blocks" = "$("$MPROF" report --format=json a.data | jq .before.blocks)" ]
	finish tabled
}

@test "the program is as it was when it has been let go" {
	start tabled "$T/tabled" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	before "$PID"
	attached --before=walk "$PID"
	tell_await tabled 'work 100' '^worked$'
	as_json
	of_report '.before.walked'
	clean "$PID"
	finish tabled
}

# number LABEL: on the line of resident memory, which is in the file screen
number() {
	grep '^resident: ' screen | grep -oE -- "$1 [0-9]+" | grep -oE '[0-9]+$'
}

@test "the last look: resident memory in one line, and it adds up" {
	start tabled "$T/tabled" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	attached --before=walk --data=a.data "$PID"
	tell_await tabled empty '^emptied '
	detach --summary "$PID" && cp detach.out screen
	all=$(grep -oE '^resident: [0-9]+' screen | grep -oE '[0-9]+')
	[ "$all" -gt 1000000 ] || fail "$(cat screen)"
	live=$(number 'live blocks') free=$(number 'free in the allocator') own=$(number "headers and the allocator's own")
	[ "$all" = $((live + free + own + $(number 'not explained by the heap'))) ] || fail "$(cat screen)"
	# it has freed all but what libc keeps for its threads
	[ "$live" -lt 10000 ] && [ "$free" -gt 1000000 ] || fail "$(cat screen)"
	[ "$all" = "$(sqlite3 a.data 'SELECT sum(rss) FROM rss')" ]
	[ "$all" = "$("$MPROF" report --format=json a.data | jq '[.rss[].rss] | add')" ]
	finish tabled
}

# What the program says it has lost, "size blocks" for each size, and what the data file has of it.
truth_of_lost() {
	awk '$1 == "lost" { print $2, $3 }' reach.out | sort -n
}

lost_in() {
	sqlite3 -separator ' ' "$1" 'SELECT l.size, sum(r.blocks) FROM reach r JOIN leaves l ON l.rowid = r.leaf
		WHERE r.class = 0 GROUP BY l.size ORDER BY l.size'
}

@test "the last look: what is lost is told by path, and it is what the program has lost" {
	start reach "$T/reach"
	attached --data=a.data "$PID"
	tell_await reach build '^built$'
	detach -o /dev/null "$PID"
	diff <(truth_of_lost) <(lost_in a.data) || fail "other blocks are lost"
	through=$(awk '$1 == "lost" { n += $4; bytes += $5 } END { print n, bytes }' reach.out)
	[ "$through" = "$(sqlite3 -separator ' ' a.data 'SELECT sum(blocks), sum(bytes) FROM reach WHERE class = 1')" ]
	"$MPROF" report --format=json a.data >report.json
	# the paths: each has what its functions have lost, and the others nothing
	all=$(awk '$1 == "lost" { n += $3 } END { print n }' reach.out)
	[ "$(sqlite3 -separator ' ' a.data 'SELECT sum(lost_blocks), sum(lost_through_blocks), sum(lost_through_bytes) FROM leaks')" = \
		"$all $through" ] || fail "the view has others"
	[ "$(jq '[.leaks[].lost.blocks] | add' report.json)" = "$all" ]
	[ "$(jq '[.leaks[] | select([.path[].function] | any(. == "lost_alone" or . == "lost_lists" or . == "lost_cycles")) |
		.lost.blocks] | add' report.json)" = "$all" ] || fail "elsewhere" "$(jq -c '.leaks[] | [.path[].function]' report.json)"
	jq -e ".reach.lost_direct.blocks == $all and .reach.lost_and_freed == 0" report.json
	jq -e '([.reach[] | objects | .blocks] | add) >= ([.bins[] | .allocs - .frees] | add)' report.json
	# in the table, the columns are what is kept
	"$MPROF" report --verdicts=yes --verbose a.data >table
	grep -q 'lost bytes    through   possible  reachable   not seen' table
	awk '/^\f/ { on = 0 } on && match($0, /LOST[ 0-9+of]*( through others)? +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ /) {
			split(substr($0, RSTART, RLENGTH), f, /  +/)
			kept += $1; sum += f[2] + f[3] + f[4] + f[5] + f[6]; rows++
		}
		/Partial Dynamic/ { on = 1 }
		END { exit !(rows > 3 && kept > 0 && kept == sum) }' table || fail "columns" "$(grep LOST table)"
	# and first of all on the first screen
	"$MPROF" report --summary a.data >screen
	sed -n 2p screen | grep -q ' LOST ' || fail "not first" "$(cat screen)"
	grep -Eq "^lost: $all blocks of [0-9]+ bytes usable, and ${through% *} more of ${through#* } that only they lead to" screen ||
		fail "no sum" "$(cat screen)"
	finish reach
}

# of_leaks FUNCTION MEMBER: the sum over the paths that end in it
of_leaks() {
	jq --arg f "$1" --arg m "$2" '[.leaks[] | select(.path[-1].function == $f).lost[$m]] | add' report.json
}

@test "the last look: what hangs on lost blocks is told with these, and only what was seen is said to be reachable" {
	start lossy "$T/lossy"
	attached --data=a.data "$PID"
	tell_await lossy 'serve 200' '^served$'
	detach -o /dev/null "$PID"
	"$MPROF" report --format=json a.data >report.json
	local lost function blocks hanging
	while read -r lost function blocks hanging; do
		[ "$(of_leaks "$function" blocks) $(of_leaks "$function" hanging_blocks)" = "$blocks $hanging" ] ||
			fail "$lost $function $blocks $hanging" "$(jq -c '.leaks[] | [.path[-1].function, .lost]' report.json)"
	done < <(grep '^lost ' lossy.out)
	# The parts of the pool are none of the allocator's blocks, and nothing leads to the pool.
	[ "$(of_leaks lose_pool not_seen_blocks)" = 4 ]
	[ "$(of_leaks lose_pool reachable_blocks)" = 0 ]
	[ "$(jq '[.leaks[].lost.not_seen_blocks] | add' report.json)" = 4 ]
	[ "$(of_leaks remember reachable_blocks)" = 200 ]
	[ "$(sqlite3 a.data 'SELECT sum(blocks) FROM reach WHERE class = 3')" = 4 ]
	[ "$(sqlite3 a.data 'SELECT sum(blocks), sum(bytes) FROM hanging')" = \
		"$(jq -r '.reach.lost_through | "\(.blocks)|\(.bytes)"' report.json)" ]
	jq -e 'all(.leaks[]; .lost.blocks + .lost.through_blocks + .lost.possible_blocks + .lost.reachable_blocks +
		.lost.not_seen_blocks == .allocs - .frees)' report.json
	finish lossy
}

# The lines of the file screen that say nothing of a row, and what their numbers come to.
rest_of() { # REGEX FIELD: the sum of a field of the rows
	grep -E "$1" screen | awk -v f="$2" '{ n += $f } END { print n + 0 }'
}

@test "the last look: first the lines whose blocks are lost, with what hangs on them and who calls them" {
	start lossy "$T/lossy"
	attached --data=a.data "$PID"
	tell_await lossy 'serve 200' '^served$'
	detach --summary -o screen "$PID"
	cat screen
	sed -n 2p screen | grep -Eq '^ +24000 bytes +200 blocks  LOST 180 of 200 +new_request \(lossy\.c:[0-9]+\), from serve: struct request; 43.2 kB in 360 blocks hang on it$'
	sed -n 3p screen | grep -Eq '^ +9000 bytes +150 blocks  LOST 3\+147 +lose_list \(lossy\.c:[0-9]+\), from other: struct node; 10.6 kB in 147 blocks hang on it$'
	sed -n 4p screen | grep -Eq '^ +360 bytes +1 block   LOST +lose_pool \(lossy\.c:[0-9]+\), from other'
	sed -n 5p screen | grep -Eq '^ +40200 bytes +201 blocks  LOST 1\+180 of 201 +new_buffer \(lossy\.c:[0-9]+\), from other'
	# what is kept has a place before what is only lost through others, and all adds up
	sed -n 6p screen | grep -Eq '^ +8000 bytes +200 blocks  [^L].* remember \(lossy\.c:[0-9]+\)$'
	sed -n 7p screen | grep -Eqx 'and 1 more line: 288 bytes in 4 blocks; 1 more line, of what hangs on lost blocks: 8000 bytes in 200 blocks'
	all=$(sed -n '1s/.*: \([0-9]*\) bytes in \([0-9]*\) blocks.*/\1 \2/p' screen)
	[ "$all" = "$(($(rest_of '^ +[0-9]+ bytes' 1) + 288 + 8000)) $(($(rest_of '^ +[0-9]+ bytes' 3) + 4 + 200))" ]
	sed -n 8p screen | grep -Eqx 'lost: 185 blocks of [0-9]+ bytes usable, and 507 more of [0-9]+ that only they lead to'
	[ "$(wc -l <screen)" = 9 ]
	# What is not in the rows because it was not asked for is not of unknown origin.
	"$MPROF" report --summary --ignore-fn=new_request --ignore-fn=new_name a.data >screen
	sed -n '/^lost:/p' screen | grep -Eqx 'lost: 185 .* 507 more of [0-9]+ that only they lead to; 360 of them are in no row, by --ignore-fn' ||
		fail "ignored" "$(cat screen)"
	not grep -q new_request screen
	# At the peak nobody has looked.
	"$MPROF" report --summary --at=peak a.data >screen
	not grep -q '^lost' screen
	finish lossy
}

@test "the last look: lost blocks of sizes that are not recorded are not said to be older than the session" {
	start lossy "$T/lossy"
	attached --data=a.data --min-size=100 "$PID"
	tell_await lossy 'serve 200' '^served$'
	detach --summary -o screen "$PID"
	# names of 40 bytes, and nodes of 60
	grep -Eqx 'lost: .* 507 more of [0-9]+ that only they lead to; 330 of them were not recorded, for their size or as they are older' screen ||
		fail "$(cat screen)"
	finish lossy
}

@test "the last look: what a child has lost of its parent's is not of unknown origin" {
	start lossy "$T/lossy"
	attached --data=a.data --trace-children=yes "$PID"
	tell_await lossy 'serve 200' '^served$'
	tell_await lossy fork '^forked [0-9]+$'
	detach -o /dev/null "$PID"
	"$MPROF" report --summary "$(echo a.data.*)" >screen
	grep -Eqx 'lost: 185 .* 507 more of [0-9]+ that only they lead to; 692 of them were requested by its parent, before the fork' screen ||
		fail "$(cat screen)"
	"$MPROF" report --summary a.data | grep -Eqx 'lost: 185 .* 507 more of [0-9]+ that only they lead to'
	finish lossy
}

@test "the last look: nothing is lost, or nothing is kept, and that is said" {
	start tabled "$T/tabled" 4 400
	attached --data=a.data "$PID"
	detach --summary -o screen "$PID"
	grep -qx 'lost: nothing' screen || fail "$(cat screen)"
	grep -aqx 'mprof: lost: nothing' attach.err || fail "$(cat attach.err)"
	finish tabled
}

@test "the last look: who requested what is lost from before the attach is not known, and that is said" {
	start reach "$T/reach"
	tell_await reach build '^built$'
	attached --data=a.data "$PID"
	detach --summary -o screen "$PID"
	[ "$(sqlite3 a.data 'SELECT count(*) FROM reach')" = 0 ]
	n=$(awk '$1 == "lost" { n += $3 + $4 } END { print n }' reach.out)
	grep -q "^lost: .*; who requested $n of them is not known" screen || fail "not so" "$(cat screen attach.err)"
	finish reach
}

@test "the last look: of an allocator that is not known, nothing is said to be lost or not" {
	lib=/usr/lib/x86_64-linux-gnu/libmimalloc.so.2
	[ -e "$lib" ] || fail "no $lib"
	start tabled env LD_PRELOAD="$lib" "$T/tabled" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	attached --data=a.data "$PID"
	detach -o /dev/null "$PID"
	[ "$(sqlite3 a.data "SELECT value FROM meta WHERE key = 'reach_known'")" = 0 ]
	"$MPROF" report --format=json a.data | jq -e 'has("reach") | not'
	"$MPROF" report --summary a.data | grep -qx 'lost: not known, for the heap could not be looked through'
	finish tabled
}

@test "whoever is told to end by a signal has a last look, too" {
	start tabled "$T/tabled" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	for signal in INT TERM HUP; do
		attached --data=a.data -o /dev/null "$PID"
		kill -$signal "$(tracer_of "$PID")"
		ended "$FRONT"
		[ "$(sqlite3 a.data 'SELECT sum(rss) > 1000000 FROM rss')" = 1 ] || fail "$signal" "$(cat attach.err)"
	done
	finish tabled
}

@test "a program that has ended cannot be looked at any more: that is said" {
	start tabled "$T/tabled" 4 400
	attached --data=a.data "$PID"
	tell tabled quit
	ended "$FRONT"
	says attach.err "what the resident memory of process $PID was for is not known"
	[ "$(sqlite3 a.data 'SELECT count(*) FROM rss')" = 0 ]
	ended "$PID"
}

@test "more than --max-pause allows is not looked at in the end either" {
	start tabled "$T/tabled" 4 60000
	tell_await tabled 'work 100000' '^worked$'
	attach --max-pause=1 --data=a.data "$PID"
	detach --summary "$PID"
	ended "$FRONT"
	says attach.err "what the resident memory of process $PID is for is not known: .*--max-pause"
	[ "$(sqlite3 a.data 'SELECT count(*) FROM rss')" = 0 ]
	finish tabled
}

@test "a process that is stopped by job control: its heap is walked, and it stays stopped" {
	start tabled "$T/tabled" 4 4000
	tell_await tabled 'work 20000' '^worked$'
	kill -STOP "$PID"
	until_true 'it does not stop' grep -q '^State:.[Tt]' "/proc/$PID/status"
	attached --before=walk "$PID"
	kill -CONT "$PID"
	tell_await tabled empty '^emptied '
	as_json
	of_report '.totals.unknown_frees == 0 and .before.freed_blocks > 1000'
	finish tabled
}

@test "several processes, each with what it had" {
	start one "$T/tabled" 2 1000
	one=$PID
	tell_await one 'work 5000' '^worked$'
	start two "$T/tabled" 2 2000
	two=$PID
	tell_await two 'work 5000' '^worked$'
	attached --before=walk --data=s.data "$one" "$two"
	tell_await two empty '^emptied '
	tell_await one empty '^emptied '
	detach -o /dev/null "$one"
	ended "$FRONT"
	of() { sqlite3 "$1" "SELECT value FROM meta WHERE key = '$2'"; }
	[ "$(of s.data before_frees)" = "$(sed -n 's/^emptied //p' one.out)" ]
	[ "$(of "s.data.$two" before_frees)" = "$(sed -n 's/^emptied //p' two.out)" ]
	[ "$(of s.data unknown_frees)" = 0 ] && [ "$(of "s.data.$two" unknown_frees)" = 0 ]
	finish one
	finish two
}
