#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# kill -9 of mprof's processes at their system calls, one after the other (tests/lib/killpoint.c): the program is
# right, nobody and nothing is left behind, a data file is the old one or a whole new one, and what failed is said.
# The tracing process is killed in watchdog.bats.
#
# POINTS=all: at each call; otherwise at some.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

POINTS=${POINTS:-some}
SIMPLE='simple: done'

# points STRIDE PROCESS NTH FUNCTION: FUNCTION runs its command with a process to be killed at one of its calls, and
# again with a later one, until it lives to its end.
points() {
	local stride=$1 at=1 killed=0 bad=0
	[ "$POINTS" != all ] || stride=1
	while :; do
		POINT_OF=$2
		POINTED=(env POINT_OF="$2" POINT_NTH="$3" POINT_AT="$at" POINT_LOG="$D/point.log" POINT_FROM="${POINT_FROM:-}"
			POINT_EXE="$(realpath "$MPROF")" LD_PRELOAD="$T/killpoint.so")
		rm -f point.log begun report.txt out err
		cp old.data run.data
		"$4" || {
			bad=$((bad + 1))
			echo "killed at call $at ($(cat point.log)): status ${STATUS:-}" "$(head -n 20 err)"
			[ "$POINTS" = all ] || return 1
			[ -z "$FRONT" ] || until_true "the session does not end" session_over || return 1
		}
		! grep -q '^lived' point.log || break
		killed=$((killed + 1)) at=$((at + stride))
	done
	echo "# killed at $killed of $(cut -d' ' -f2 point.log) calls, each ${stride}th; $bad failed" >&3
	[ $bad = 0 ] && [ $killed -gt 0 ]
}

# ran COMMAND...: STATUS; it did not have to be ended
ran() {
	STATUS=0
	limited "$@" >out 2>err </dev/null || STATUS=$?
	[ $STATUS != 124 ] || fail "it waits"
}

# was_killed: or lived; who kills has his word after the death of whom he killed
was_killed() {
	until_true "nobody was killed, and nobody lived" test -s point.log
}

killed() {
	grep -q '^killed' point.log
}

old() {
	limited "$MPROF" run -o whole.txt --data=old.data "$T/simple" >/dev/null 2>&1
	limited "$MPROF" report -o whole.txt old.data
}

none_but_program() {
	! marked | grep -qvx "${program:-none}"
}

nothing_left() {
	local left
	until_true "processes are left" none_but_program || fail "" "$(ps -o pid,stat,comm,args -p "$(marked | paste -sd,)")" || return 1
	left=$(find . -name 'mprof.data.*' -o -name '*.sock' -o -path './tmp/*')
	[ -z "$left" ] || fail "files are left: $left"
}

# A session that has been there for a moment may have one point of its timeline, where others have two.
is_consistent() {
	nothing "$(contradictions report.json | grep -v '^timeline, points: ')" "report.json:"
}

# data_right: and NEW if it is not the old one
data_right() {
	NEW=''
	! cmp -s old.data run.data || return 0
	NEW=yes
	limited "$MPROF" report --format=json run.data >report.json 2>report.err && is_consistent || fail "the data file is damaged"
}

# said: what failed has a sentence
said() { # FILE
	[ "$STATUS" = 0 ] || [ -n "$(ours "$1")" ] || fail "no sentence"
}

# ---- mprof run, mprof report ----

a_run() {
	ran "${POINTED[@]}" "$MPROF" run -o report.txt --data=run.data "$T/simple" && was_killed && nothing_left && data_right || return 1
	[ "$(cat out)" = "$SIMPLE" ] || { [ "$STATUS" != 0 ] && [ ! -s out ]; } || fail "the program: $(cat out)" || return 1
	if [ "$POINT_OF" = first ] && killed; then
		[ "$STATUS" = 137 ]
	else
		[ "$STATUS" = 0 ] && [ -n "$NEW" ] && [ "$(bin_of report.json 3259)$(bin_of report.json 3271)" = '100 10050 50' ] ||
			fail "without harm to what is profiled"
	fi
}

a_report() {
	ran "${POINTED[@]}" "$MPROF" report -o report.txt run.data && was_killed && nothing_left || return 1
	cmp old.data run.data || return 1
	# Printing is not done in another file first.
	killed || cmp report.txt whole.txt
}

@test "run: the process that was started is killed" {
	old
	points 9 first 1 a_run
}

@test "run: the keeper is killed" {
	old
	points 4 '<mprof' 1 a_run
}

a_run_without_names() {
	a_run && { ! killed || grep -q ': reading it ended with signal 9\|no names are told: .* ended with signal 9' err || fail "it is not said"; }
}

@test "run: the process that reads names is killed" {
	old
	points 40 mprof-apart 1 a_run_without_names
}

@test "report: it is killed" {
	old
	points 15 first 1 a_report
}

# ---- sessions ----

# begin NAME [ARG...]: a program to attach to
begin() {
	old
	start "$1" "$T/$1" "${@:2}"
	before "$PID"
	name=$1 program=$PID
}

# session_over: told to end until it has
session_over() {
	limited "$MPROF" detach "$PID" >/dev/null 2>&1 || :
	gone "$FRONT" && nobody_of_ours
}

# let_go: FRONT has ended with STATUS, and the program is as it was
let_go() {
	until_true "the session does not end" session_over && ended "$FRONT" && was_killed && clean "$PID" &&
		nothing_left && data_right || return 1
	[ "$name" != server ] || progress server 2
}

attached() { # [OPTION...]
	background "${POINTED[@]}" "$MPROF" attach -o report.txt --data=run.data "$@" "$PID"
	until_true "mprof attach has not begun" begun_or_gone
	let_go || return 1
	[ "$STATUS" != 0 ] || [ -n "$NEW" ] || fail "no profile" "$(cat attach.err)"
}

an_attach() {
	attached && { [ "$STATUS" = 0 ] || [ "$POINT_OF$STATUS" = first137 ] || fail "status $STATUS" "$(cat attach.err)"; }
}

in_background() {
	attached --background && { [ "$STATUS" = 0 ] || [ "$POINT_OF$STATUS" = first137 ] ||
		says attach.err 'the tracing process was killed before it began'; }
}

@test "attach: the process that was started is killed" {
	begin server 2 500
	points 13 first 1 an_attach
	finish server
}

@test "attach: the keeper is killed" {
	begin server 2 500
	points 5 '<mprof' 1 an_attach
	finish server
}

@test "attach --background: the process that was started is killed, or the one that stays for it" {
	begin server 2 500
	points 20 first 1 in_background
	points 8 '<mprof' 1 in_background
	finish server
}

# served COMMAND...: one of the session's own is killed, counted from now on; the command is answered with STATUS
served() {
	background "${POINTED[@]}" "$MPROF" attach -o report.txt --data=run.data "$PID"
	until_true "mprof attach has not begun" begun_or_gone
	touch begun
	[ "$name" != recycled ] || tell_await recycled forget '^forgot 500 100$' || return 1
	ran "$MPROF" "$@" && said err || return 1
	local status=$STATUS
	limited "$MPROF" status >status.out 2>&1 && data_right || fail "the session" "$(cat status.out)" || return 1
	let_go || return 1
	[ "$STATUS" = 0 ] && [ -n "$NEW" ] || fail "the session ended with $STATUS" "$(cat attach.err)" || return 1
	STATUS=$status
}

# answered_or_said REGEX: whoever was killed, the command says it
answered_or_said() {
	[ "$STATUS" = 0 ] || says err "$1"
}

a_save() {
	served control "$PID" save && answered_or_said 'who was to answer ended without an answer; the session goes on'
}

a_leaks() {
	served leaks "$PID" && answered_or_said 'who was to answer ended (without an|in the middle of its) answer; the session goes on'
}

a_path() {
	a_leaks && [ "$STATUS" = 0 ] || fail "no answer" || return 1
	grep -Eq 'forgotten \(recycled.c:' out ||
		says err 'who has requested what is lost in process [0-9]* is not known: the session could not say it|no names; reading it ended with signal 9'
}

@test "a session: the process that saves is killed" {
	POINT_FROM=$D/begun
	begin server 2 500
	points 13 '<mprof-tracer' 1 a_save
	finish server
}

@test "a session: the process that reads names for what is saved is killed" {
	POINT_FROM=$D/begun
	begin server 2 500
	points 60 '<mprof-tracer' 2 a_save
	finish server
}

@test "a session: whoever looks at the program is killed" {
	POINT_FROM=$D/begun
	begin recycled
	points 60 '<mprof-tracer' 1 a_leaks
	finish recycled
}

@test "a session: whoever names the paths of what is lost is killed, or who reads names for that" {
	POINT_FROM=$D/begun
	begin recycled
	points 20 '<mprof-tracer' 2 a_path
	points 90 '<mprof-tracer' 3 a_path
	finish recycled
}

# asked COMMAND...: it is killed, and not the session
asked() {
	attach -o report.txt --data=run.data "$PID" && ran "${POINTED[@]}" "$MPROF" "$@" || return 1
	local status=$STATUS
	let_go || return 1
	[ "$STATUS" = 0 ] && [ -n "$NEW" ] || fail "the session ended with $STATUS" "$(cat attach.err)" || return 1
	STATUS=$status
	killed || [ "$STATUS" = 0 ]
}

a_detach() { asked detach "$PID"; }
a_status() { asked status; }
a_request() { asked control "$PID" save; }
asked_leaks() { asked leaks "$PID"; }

@test "mprof detach, status, control and leaks are killed: the session goes on, or has ended in good order" {
	begin server 2 500
	points 20 first 1 a_detach
	points 40 first 1 a_status
	points 12 first 1 a_request
	points 35 first 1 asked_leaks
	finish server
}

# ---- without a session ----

a_look() {
	ran "${POINTED[@]}" "$MPROF" leaks "$PID" && was_killed && clean "$PID" && progress server 2 && nothing_left || return 1
	[ "$POINT_OF$STATUS" = first137 ] || said err
}

@test "leaks, of a program without a session: it is killed, or the process that stops the program" {
	begin server 2 500
	points 60 first 1 a_look
	points 60 '<mprof' 1 a_look
	finish server
}
