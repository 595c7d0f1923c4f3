#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# kill -9 of mprof's processes at their system calls, one after the other (tests/lib/killpoint.c): the program is
# right, nobody and nothing is left behind, a data file is the old one or a whole new one, and what failed is said.
# The tracing process is killed in watchdog.bats; who writes other files, and who looks, in killed_outputs.bats.
#
# POINTS=all: at each call; otherwise at some.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live
load ../lib/killed

SIMPLE='simple: done'

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

a_save() {
	observed && served control "$PID" save && answered_or_said 'who was to answer ended without an answer; the session goes on'
}

a_leaks() {
	observed || return 1
	[ "$name" != recycled ] || tell_await recycled forget '^forgot 500 100$' || return 1
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
