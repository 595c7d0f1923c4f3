#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# mprof top: what it prints, compared with what the program says of itself and with the report. Runs with both
# engines, by MPROF_ENGINE. Its screen is in top_screen.bats.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

topped() {
	start topped "$T/topped"
}

# work COMMAND...: the program has done it
work() {
	local word
	for word; do
		tell_await topped "$word" "^did $word\$" || return 1
	done
}

# its N: number N of the program's own report: live bytes, live blocks, made, freed
its() {
	reported topped "$1"
}

# top OPTION...: one look at the program, in the file top
top() {
	local status=0
	limited "$MPROF" top --once --interval=0.2 "$@" "$PID" >top 2>top.err </dev/null || status=$?
	[ $status = 0 ] || fail "mprof top $*: status $status" "$(cat top.err)"
}

# looks JQ-CONDITION [OPTION...]: soon a look is like that; what is told without a stop may come a little later
looks() {
	until_true "no look has $1" look_has "$@" || fail "" "$(cat top)"
}

look_has() {
	top --format=json "${@:2}" && jq -e "$1" top >/dev/null
}

# has FILE REGEX: a line of it
has() {
	grep -Eq -- "$2" "$1" || fail "no /$2/ in $1:" "$(cat "$1")"
}

# senseless REGEX OPTION...: wrong usage, of which nothing comes
senseless() {
	refused 2 "$1" "$MPROF" top "${@:2}"
}

# followed OPTION...: top goes on beside us, and has made a look; its lines are in attach.out
followed() {
	background "$MPROF" top --format=json --batch=0.1 "$@" "$PID"
	await attach.out '"pid"' || fail "" "$(cat attach.err)"
}

# told JQ-CONDITION: soon the last line of that is like this
told() {
	until_true "no line has $1" last_line_has "$1" || fail "" "$(tail -n 1 attach.out)" "$(cat attach.err)"
}

last_line_has() {
	tail -n 1 attach.out | jq -e "$1" >/dev/null 2>&1
}

# stopped SIGNAL: top has been told to end, and has ended with 0
stopped() {
	kill "-$1" "$FRONT"
	ended "$FRONT"
	[ "$STATUS" = 0 ] || fail "mprof top ended with status $STATUS" "$(cat attach.err)"
}

@test "a look has what the program knows of itself" {
	topped
	attach "$PID"
	work 'red 40' 'blue 30' 'churn 25' 'drop 3' 'old 4'
	looks ".live_bytes == $(its 1) and .live_blocks == $(its 2) and .allocations == $(its 3) and .frees == $(its 4)
		and .unknown_frees == 4 and .truncated_chains == 0 and .events_lost == 0"
	jq -e --argjson pid "$PID" '.pid == $pid and .state == "tracing" and .threads == 1 and .rss_bytes > 100000
		and (.command | endswith("topped")) and .not_in_rows == 0' top
	jq -e '[.rows[] | select(.site | startswith("make_red ("))]
		| length == 1 and .[0].live_bytes == 37 * 5003 and .[0].live_blocks == 37 and .[0].allocations == 40' top
	jq -e '.rows[] | select(.site | startswith("bläue (topped.c:")) | .live_bytes == 30 * 211' top
	jq -e '.rows[] | select(.site | startswith("churn (")) | .live_bytes == 0 and .temporary_blocks == 25' top
	jq -e '([.rows[].live_bytes] | add) == .live_bytes and ([.rows[].allocations] | add) == .allocations' top
	[ "$(jq -r .engine top)" = "$([ "${MPROF_ENGINE:-trap}" = trap ] && echo trap || echo fast)" ]
	detach -o /dev/null "$PID"
	finish topped
}

@test "a look has the figures of the report" {
	topped
	attach "$PID"
	work 'red 12' 'blue 7' 'churn 5' 'old 2'
	looks '.allocations == 24 and .frees == 5 and .unknown_frees == 2'
	detach --format=json "$PID"
	[ "$(jq -S '[.totals | .allocs, .frees, .alloc_bytes - .free_bytes, .unknown_frees, .truncated_chains]' -c detach.out)" = \
		"$(jq '[.allocations, .frees, .live_bytes, .unknown_frees, .truncated_chains]' -c top)" ] ||
		fail "$(jq -c .totals detach.out)" "$(cat top)"
	finish topped
}

@test "rows are sorted, filtered and told apart as asked" {
	topped
	attach "$PID"
	work 'red 3' 'blue 300' 'churn 9'
	looks '.allocations == 312'
	[ "$(jq -r '.rows[0].site' top | cut -d' ' -f1)" = bläue ]
	top --format=json --sort=temporary
	[ "$(jq -r '.rows[0].site' top | cut -d' ' -f1)" = churn ]
	jq -e '.sort == "temporary" and .by == "sites"' top
	top --format=json --filter=MAKE_ --depth=3
	jq -e '(.rows | length) == 1 and (.rows[0].site | test("^make_red \\(.* < keep_red \\(.* < "))' top
	top --format=json --rows=1
	jq -e '.rows | length == 1' top
	detach -o /dev/null "$PID"
	finish topped
}

@test "sizes have their types" {
	topped
	attach "$PID"
	work 'red 3' 'churn 2'
	looks '.by == "sizes" and .allocations == 5 and .rows[0].size == 5003 and .rows[0].types == "struct red_thing"
		and .rows[0].live_bytes == 15009' --by=sizes
	top --by=sizes
	has top ' 5003  struct red_thing$'
	detach -o /dev/null "$PID"
	finish topped
}

# crew: a look at what each thread has done equals what it says itself; the sums are those of all
crew() {
	local said
	tell_await crew report '^report ' || return 1
	said=$(grep '^report ' crew.out | tail -n 1)
	top --format=json --by=threads && jq -e --arg said "$said" '($said | split(" ")[1:]) as $w
		| .by == "threads" and ([range(0; 3) | [$w[. * 6], ($w[. * 6 + 1:. * 6 + 6][] | tonumber)]])
		== ([.rows[] | select(.name // "" | startswith("crew-"))
			| [.name, .thread, .allocations, .allocated_bytes, .frees, .freed_bytes]] | sort)
		and ([.rows[].allocations] | add) == .allocations and ([.rows[].frees] | add) == .frees
		and ([.rows[] | .allocated_bytes - .freed_bytes] | add) == .live_bytes' top >/dev/null
}

@test "a thread has what it has done itself, whoever made what it frees" {
	start crew "$T/crew"
	attach "$PID"
	local word
	for word in 'make 1 40' 'make 2 30' 'grow 3 20' 'free 1 25' 'make 3 7' 'free 2 9'; do
		tell_await crew "$word" "^did $word\$"
	done
	until_true "no look is like that" crew || fail "" "$(cat top)" "$(cat crew.out)"
	jq -e '.rows[0].name == "crew-3" and .rows[0].new_bytes == 0 and .rows[0].allocations_per_second == 0' top
	top --by=threads --filter=crew-2
	has top '^ *bytes requested\* .* thread  name$'
	has top "^ *90030  *30  *9  *0  *0.0  *0.0  *[0-9]*  crew-2\$"
	[ "$(grep -c crew- top)" = 1 ]
	detach -o /dev/null "$PID"
	finish crew
}

# What has been told by then does not know it yet.
renamed() {
	jq -se '[.[].rows[] | select(.name == "crew-2" and .allocations == 30)] | length > 0' attach.out >/dev/null
}

@test "a thread that has ended keeps the name it had, and its figures" {
	start crew "$T/crew"
	followed --by=threads
	tell_await crew 'make 2 30' '^did make 2 30$'
	until_true "never seen" renamed
	tell_await crew 'end 2' '^did end 2 *$'
	: >attach.out
	told '.threads == 3 and ([.rows[] | select(.name == "crew-2") | .allocations] == [30])'
	# In lines those that have ended have one, unless somebody looks for them.
	top --by=threads
	has top '^ *90030  *30  *0  *0  *0.0  *0.0  *-  [(]1 that has ended[)]$'
	not grep -q crew-2 top
	stopped INT
	finish crew
}

@test "text has the same figures as JSON" {
	topped
	attach "$PID"
	work 'red 6' 'churn 4'
	looks '.allocations == 10'
	top
	has top "^process $PID \(.*topped\), [0-9.]* s, tracing, engine [a-z]*, tracer busy [0-9.]* %, slowdown [0-9.-]*\$"
	has top "^live 30018 bytes in 6 blocks; 0.0 allocations/s, 0.0 frees/s\$"
	has top '; truncated chains 0, unknown frees 0, events lost 0$'
	has top '^ *30018  *6  *0  *0.0  *0  make_red \(topped.c:[0-9]*\)$'
	has top '^ *0  *0  *0  *0.0  *4  churn \(topped.c:[0-9]*\)$'
	detach -o /dev/null "$PID"
	finish topped
}

@test "told to end at any moment of the beginning, it ends well" {
	local ms ended_well=0
	topped
	before "$PID"
	for ms in $(seq 0 3 90); do
		background "$MPROF" top --format=json --batch=0.1 --data=here.data "$PID"
		sleep "0.$(printf %03d "$ms")"
		kill "$FRONT"
		ended "$FRONT"
		# 143: before it was there to be told.
		[ "$STATUS" = 0 ] || [ "$STATUS" = 143 ] || fail "after $ms ms: status $STATUS" "$(cat attach.err)"
		[ "$STATUS" != 0 ] || ended_well=$((ended_well + 1))
		clean "$PID"
	done
	[ "$ended_well" -gt 0 ]
	finish topped
}

@test "what nobody traces is attached to, and let go with its profile" {
	topped
	before "$PID"
	followed --data=here.data
	work 'red 50' 'drop 10' 'churn 20'
	told ".live_bytes == $(its 1) and .allocations == $(its 3) and .frees == $(its 4)"
	stopped INT
	says attach.err "the profile is in $D/here.data\$"
	[ "$(wc -l <attach.err)" = 1 ]
	json here.data
	[ "$(total allocs) $(total frees)" = "70 30" ]
	clean "$PID"
	# Once more: what was there before is gone, and that is said.
	followed --data=here.data
	stopped INT
	says attach.err "the profile is in $D/here.data, in the place of an older one\$"
	clean "$PID"
	finish topped
}

@test "growth and rates are those since the look before" {
	topped
	followed --interval=0.1
	work 'red 50'
	told '.live_blocks == 50'
	work 'drop 20'
	told '.live_blocks == 30'
	# Of all lines together the program did what it did, each part of it in one of them.
	[ "$(jq -s '[.[].rows[] | select(.site | startswith("make_red")) | .growth_bytes // 0] | add' attach.out)" = $((30 * 5003)) ]
	jq -se 'any(.[]; .rows[0].growth_bytes > 0) and any(.[]; .rows[0].growth_bytes < 0)' attach.out
	jq -se 'any(.[]; .allocations_per_second > 0 and .rows[0].allocations_per_second > 0)' attach.out
	jq -se 'any(.[]; .frees_per_second > 0)' attach.out
	# It ran in some of them, and no shorter for being watched.
	jq -se 'any(.[]; .slowdown != null) and all(.[]; .slowdown == null or (.slowdown >= 1 and .slowdown <= 100))' attach.out
	stopped TERM
	finish topped
}

@test "a session that was there goes on" {
	topped
	attach "$PID"
	work 'red 5'
	followed
	told '.live_blocks == 5'
	stopped INT
	[ ! -s attach.err ] || fail "$(cat attach.err)"
	FRONT=''
	answered status
	has control.out '^state: tracing$'
	detach -o /dev/null "$PID"
	finish topped
}

@test "who wants it to end does not wait for a session that does not answer" {
	topped
	attach "$PID"
	local front=$FRONT tracer
	tracer=$(tracer_of "$PID")
	followed
	kill -STOP "$tracer"
	# It waits for an answer by then, or soon.
	until_true "it still has answers" unchanged attach.out
	stopped INT
	kill -CONT "$tracer"
	FRONT=$front
	detach -o /dev/null "$PID"
	finish topped
}

# unchanged FILE: since we looked last
unchanged() {
	local size
	size=$(stat -c %s "$1")
	[ "$size" = "${LAST_SIZE-}" ] || {
		LAST_SIZE=$size
		sleep 0.3
		return 1
	}
}

@test "a session that does not tell is one sentence, and not waited for for ever" {
	topped
	mkdir -m 700 other
	XDG_RUNTIME_DIR=$D/other attach "$PID"
	local told
	for told in 'mprof/9 1\nok\n\0/newer mprof' 'mprof/2 1\nok\n{"figures": 3}\0/make no sense' \
		'mprof/2 1\nerror\n{"error": "not so"}\0/does not tell of process .*: not so'; do
		a_session "def answer(line):
    return b'mprof/2 1\\nok\\n\\0' if b'traces' in line else b'${told%/*}'" "$PID"
		refused 1 "${told##*/}" "$MPROF" top --once "$PID"
		end_session
	done
	rm "$XDG_RUNTIME_DIR/mprof/$PID.sock"
	XDG_RUNTIME_DIR=$D/other detach -o /dev/null "$PID"
	finish topped
}

@test "a profile that could not be written at the end is told, and is a status" {
	topped
	mkdir dir
	followed --data=dir/x.data
	rm -r dir
	finish topped
	ended "$FRONT"
	[ "$STATUS" = 1 ] || fail "$STATUS" "$(cat attach.err)"
	has attach.err 'cannot write .*dir/x.data'
	nobody_left
}

@test "a session that keeps what it could not save is over for top, with a sentence" {
	topped
	mkdir dir
	background "$MPROF" attach --background --data=dir/x.data "$PID"
	ended "$FRONT"
	followed
	rm -r dir
	finish topped
	ended "$FRONT"
	[ "$STATUS" = 1 ] || fail "$STATUS" "$(cat attach.err)"
	says attach.err "process $PID has ended, and not all .* mprof detach $PID tries again"
	answered discard
	nobody_left
}

@test "several watch one session at a time" {
	topped
	attach "$PID"
	work 'red 5'
	local front=$FRONT
	followed
	local first=$FRONT
	for _ in 1 2 3; do
		looks '.live_blocks == 5'
	done
	told '.live_blocks == 5'
	FRONT=$first
	stopped INT
	FRONT=$front
	: >attach.err
	detach -o /dev/null "$PID"
	finish topped
}

@test "a process that ends leaves the last figures, and word of the profile" {
	topped
	followed
	work 'red 8'
	told '.live_blocks == 8'
	finish topped
	ended "$FRONT"
	[ "$STATUS" = 0 ] || fail "$STATUS" "$(cat attach.err)"
	told '.live_blocks == 8'
	says attach.err "process $PID .* the profile is in $D/mprof.data"
	json mprof.data
	[ "$(total allocs)" = 8 ]
	nobody_left
}

@test "a process that ends before --once prints has its figures all the same" {
	topped
	background "$MPROF" top --once --interval=600 --format=json "$PID"
	until_true "not attached" traced "$PID"
	until_true "no session" control_is_there
	# The first look has been made when names have been read; what ends it is seen at once all the same.
	finish topped
	ended "$FRONT"
	# Whoever of the two is first to know: the session, or who asked for it.
	says attach.err "the profile is in ($D/)?mprof.data"
}

traced() {
	[ "$(tracer_of "$1")" != 0 ]
}

control_is_there() {
	[ -e "$XDG_RUNTIME_DIR/mprof/$PID.sock" ]
}

@test "a session that is ended by others is over for top, too" {
	topped
	followed
	limited "$MPROF" detach -o /dev/null "$PID" >/dev/null 2>&1
	ended "$FRONT"
	[ "$STATUS" = 0 ] || fail "$STATUS" "$(cat attach.err)"
	says attach.err "the profile is in $D/mprof.data"
	finish topped
}

@test "under nohup a hangup does not end it" {
	topped
	background env --ignore-signal=HUP "$MPROF" top --format=json --batch=0.1 "$PID"
	await attach.out '"pid"'
	kill -HUP "$FRONT"
	work 'red 4'
	told '.allocations == 4'
	stopped TERM
	says attach.err "the profile is in $D/mprof.data"
	finish topped
}

@test "who kills top lets the process go" {
	topped
	before "$PID"
	followed
	kill -KILL "$FRONT"
	clean "$PID"
	finish topped
}

@test "who has read enough ends it" {
	topped
	before "$PID"
	limited "$MPROF" top --format=json --batch=0.05 "$PID" 2>err | head -n 2 >out
	[ "$(wc -l <out)" = 2 ]
	says err "the profile is in $D/mprof.data"
	clean "$PID"
	finish topped
}

@test "names are those of the files that the process has, even if they are deleted" {
	cp "$T/topped" ./gone
	start topped ./gone
	attach "$PID"
	work 'red 2'
	rm gone
	looks '.rows[0].site | startswith("make_red (topped.c:")'
	detach -o /dev/null "$PID"
	finish topped
}

@test "the session's figures have numbers and no names" {
	topped
	attach "$PID"
	work 'red 2'
	answered --format=json figures
	jq -e '.ok and .figures.version == 4 and (.figures.leaves | length) >= 4 and (.figures.files | length) > 1 and (.figures.threads | length) == 5' control.out
	! grep -q make_red control.out
	answered figures
	jq -e '.totals | length == 13' control.out
	local status=0
	limited "$MPROF" control "$PID" figures more >out 2>err || status=$?
	[ $status = 2 ]
	detach -o /dev/null "$PID"
	finish topped
}

@test "what makes no sense is one sentence, and nothing is done to the process" {
	topped
	senseless 'there is no terminal .*--batch=SECONDS' "$PID"
	senseless '"0" is not a number of seconds above 0' --batch=0 "$PID"
	senseless '"x" is not a number of seconds' --interval=x "$PID"
	senseless '"names" is not sites, sizes or threads' --once --by=names "$PID"
	senseless '"size" is not live, growth, allocs or temporary' --once --sort=size "$PID"
	senseless '"0" is not a number of callers' --once --depth=0 "$PID"
	senseless '"0" is not a number of rows, or all' --once --rows=0 "$PID"
	senseless '"xml" is not text or json' --once --format=xml "$PID"
	senseless 'temporary' --once --by=sizes --sort=temporary "$PID"
	senseless 'not for --by=threads' --once --by=threads --sort=temporary "$PID"
	senseless 'of which process. Usage: mprof top' --once
	senseless 'of several' --once "$PID" 1
	senseless 'unknown option --twice' --twice "$PID"
	[ "$(tracer_of "$PID")" = 0 ]
	attach "$PID"
	senseless 'option data: .* has a session already' --once --data=x "$PID"
	senseless 'option engine: ' --once --engine=trap "$PID"
	detach -o /dev/null "$PID"
	finish topped
}

@test "where no control socket can be made it attaches to nothing, and says why" {
	topped
	before "$PID"
	mkdir -m 755 "$XDG_RUNTIME_DIR/mprof" "$TMPDIR/mprof-$(id -u)"
	refused 1 'no control socket: will not use' "$MPROF" top --once "$PID"
	clean "$PID"
	finish topped
}

@test "a process that cannot be attached to has attach's sentence and status" {
	refused 3 'no such process' "$MPROF" top --once 999999999
	refused any 'kernel thread|not there|no such process' "$MPROF" top --once 2
	topped
	mkdir dir
	refused 1 dir "$MPROF" top --once --data=dir "$PID"
	clean "$PID"
	finish topped
}

@test "of two that begin at once one attaches, and the other joins it and ends nothing" {
	local i first second
	topped
	work "make 3 1000"
	for i in 1 2 3 4 5 6 7 8; do
		limited "$MPROF" top --once --interval=0.6 "$PID" >one 2>one.err </dev/null &
		first=$!
		limited "$MPROF" top --once --interval=0.1 "$PID" >two 2>two.err </dev/null &
		second=$!
		wait $first || fail "the first: $?" "$(cat one.err)"
		wait $second || fail "the second: $?" "$(cat two.err)"
		not grep -q 'has a session already' one.err two.err
		[ "$(cat one.err two.err | grep -c 'the profile is in')" -ge 1 ]
	done
}
