#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Limits of ulimit(1): the program has those that mprof was started with, and mprof lives with them.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

# same_limits ULIMIT...: the program is told the same limits as without mprof
same_limits() {
	(
		ulimit "$@"
		limited cat /proc/self/limits >alone.txt
		limited "$MPROF" run -o run.txt --data=run.data -- cat /proc/self/limits >under.txt 2>err
	) || fail "status $?: $*" "$(cat err)" || return 1
	diff alone.txt under.txt || fail "with $*" || return 1
	[ -s run.data ]
}

@test "a program has the limits that mprof was started with, all of them" {
	same_limits -c 0
	same_limits -S -n 100
	same_limits -n 100
	same_limits -S -t 1000
	same_limits -t 1000
	same_limits -S -s 200
	same_limits -s 200
	same_limits -s 130
}

@test "mprof does its work on a small stack" {
	(
		ulimit -s 150
		limited "$MPROF" run -o run.txt --data=run.data -- "$T/plain" >out 2>err
		limited "$MPROF" report --format=json run.data >report.json
	) || fail "status $?" "$(cat err)"
	grep -q MPROF run.txt
	jq -e '.totals.allocs > 0' report.json
}

# ticks PID: the processor time of all processes of mprof's below this one, in hundredths of a second
ticks() {
	local pid n=0 a b
	for pid in "$1" $(pgrep -P "$1"); do
		read -r a b < <(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d' ' -f12,13) || continue
		n=$((n + a + b))
	done
	echo $n
}

used() { # PID TICKS
	[ "$(ticks "$1")" -gt "$2" ]
}

# timed S|H COMMAND...: it may use one second of processor time; S: a soft limit alone; attaches to $PID
timed() {
	env "MPROF_TEST_MARK=$MARK" bash -c 'ulimit -S$0 -t 1; exec "$@"' "${1#S}" "${@:2}" \
		"$MPROF" attach -o report.txt --data=run.data "$PID" </dev/null >attach.out 2>attach.err 3>&- &
	FRONT=$!
	await attach.err '^mprof: attached'
}

@test "a limit of processor time that may be raised does not end a session" {
	start threads "$T/threads" churn
	before "$PID"
	timed S
	until_true "no time is used" used "$FRONT" 150
	progress threads
	detach "$PID"
	clean "$PID"
	finish threads
}

@test "a session whose processor time is nearly up lets the program go" {
	start threads "$T/threads" churn
	before "$PID"
	timed H setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource
	ended "$FRONT"
	says attach.err 'the limit of processor time .* is near'
	[ -s run.data ]
	clean "$PID"
	progress threads
	finish threads
}

@test "too few open files are named as the reason, whatever fails for want of them" {
	start vforks "$T/vforks"
	before "$PID"
	local n
	for n in 6 9 12 15; do
		refused 1 'too many open files: there may be' prlimit --nofile=$n \
			"$MPROF" attach -o report.txt --data=run.data "$PID"
		refused 1 'too many open files: there may be' prlimit --nofile=$n \
			"$MPROF" run -o report.txt --data=run.data -- touch ran
	done
	[ ! -e ran ]
	clean "$PID"
	# what may be raised is raised
	limited prlimit --nofile=9:1000 "$MPROF" attach --background -o report.txt --data=run.data "$PID" 2>err
	limited "$MPROF" detach -o /dev/null "$PID"
	finish vforks
}
