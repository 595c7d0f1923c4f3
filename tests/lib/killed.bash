# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034
# For tests that kill one of mprof's processes at its system calls, one call after the other
# (killpoint.c). Load after common and live.
#
# POINTS=all: at each call; otherwise at some.

POINTS=${POINTS:-some}

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
	left=$(find . -name 'mprof.data.*' -o -name 'massif.out.*' -o -name '*.names.*' -o -name '*.sock' -o -path './tmp/*')
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

# ---- sessions ----

# begin NAME [ARG...]: a program to attach to
begin() {
	begin_program "$1" "$T/$1" "${@:2}"
}

begin_program() { # NAME PROGRAM [ARG...]
	old
	start "$@"
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

# observed [OPTION...]: a session, of which processes are counted from now on
observed() {
	background "${POINTED[@]}" "$MPROF" attach -o report.txt --data=run.data "$@" "$PID"
	until_true "mprof attach has not begun" begun_or_gone
	touch begun
}

# went_on: the session answers, and ends with a profile
went_on() {
	limited "$MPROF" status >status.out 2>&1 && data_right || fail "the session" "$(cat status.out)" || return 1
	ended_well
}

ended_well() {
	let_go || return 1
	[ "$STATUS" = 0 ] && [ -n "$NEW" ] || fail "the session ended with $STATUS" "$(cat attach.err)"
}

# served COMMAND...: one of the session's own is killed; the command is answered with STATUS, and the session goes on
served() {
	ran "$MPROF" "$@" && said err || return 1
	local status=$STATUS
	went_on || return 1
	STATUS=$status
}

# answered_or_said REGEX: whoever was killed, the command says it
answered_or_said() {
	[ "$STATUS" = 0 ] || says err "$1"
}

# asked COMMAND...: it is killed, and not the session
asked() {
	attach -o report.txt --data=run.data "$PID" && ran "${POINTED[@]}" "$MPROF" "$@" || return 1
	local status=$STATUS
	ended_well || return 1
	STATUS=$status
	killed || [ "$STATUS" = 0 ]
}
