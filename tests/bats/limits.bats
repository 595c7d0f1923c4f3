#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Limits of ulimit(1): the program has those that mprof was started with, and mprof lives with them.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

eval "common_$(declare -f teardown)"
teardown() {
	local status=0
	common_teardown || status=$?
	[ -z "${GROUP:-}" ] || until_true "the group is not empty" rmdir "$GROUP" || status=1
	return $status
}

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

@test "no signal may be pending (ulimit -i 0): nothing is started, nobody is touched, and that is said" {
	local status=0
	start server "$T/server" 1
	before "$PID"
	(
		ulimit -i 0
		limited "$MPROF" run -o run.txt --data=run.data -- sh -c 'echo >ran' >out 2>err || status=$?
		[ $status = 1 ] || fail "run: status $status" "$(cat err)" || exit 1
		limited "$MPROF" attach -o run.txt --data=run.data "$PID" >out 2>attach.err || status=$?
		[ $status = 1 ] || fail "attach: status $status" "$(cat attach.err)"
	)
	says err '^mprof: cannot start: no timer can be made: .* \(RLIMIT_SIGPENDING: ulimit -i has to be larger\)$'
	says attach.err '^mprof: cannot start: no timer can be made: .*ulimit -i'
	[ ! -e ran ] && [ ! -e run.data ] || fail "it has run"
	clean "$PID"
	progress server
	finish server
}

@test "the fast engine says that files may not be so large (ulimit -f)" {
	local blocks status
	for blocks in 8 2000; do
		status=0
		(
			ulimit -f $blocks
			limited "$MPROF" run --engine=fast -o run.txt --data=run.data -- "$T/plain" >out 2>err
		) || status=$?
		[ $status = 1 ] || fail "$blocks: status $status" "$(cat err)" || return 1
		says err 'the fast engine cannot be used: .*\(RLIMIT_FSIZE, ulimit -f\); use --engine=trap$'
	done
}

@test "a program that limits its own addresses is told to lack those of the fast engine" {
	local few='is limited to 146 MiB of addresses \(RLIMIT_AS, ulimit -v\), and the fast engine takes 1[0-9][0-9] MiB: requests may fail'
	limited "$MPROF" run --engine=fast -o /dev/null --data=run.data -- sh -c 'ulimit -v 150000; :' 2>err
	says err "$few that would not with --engine=trap\$"
	limited "$MPROF" run --engine=trap -o /dev/null --data=run.data -- sh -c 'ulimit -v 150000; :' 2>err
	not grep -q 'MiB of addresses' err
	limited "$MPROF" run --engine=fast -o /dev/null --data=run.data -- sh -c 'ulimit -v 4000000; :' 2>err
	not grep -q 'MiB of addresses' err
}

@test "a look of top that its session has no files for is a failure, and says so" {
	local n status failed=0
	start vforks "$T/vforks"
	for n in $(seq 17 34); do
		status=0
		limited prlimit --nofile=$n "$MPROF" top --once --interval=0.1 --data=/dev/null "$PID" >out 2>err || status=$?
		if [ $status != 0 ]; then
			failed=$((failed + 1))
			grep -Eq 'oo many open files' err || fail "$n:" "$(cat err)" || return 1
		else
			[ -s out ] || fail "$n: no look" "$(cat err)" || return 1
		fi
	done
	[ $failed -gt 0 ]
	clean "$PID"
	finish vforks
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
	local look
	for n in 6 9 12; do
		for look in heap leaks rss doctor probes top; do
			refused 1 'too many open files: there may be' prlimit --nofile=$n "$MPROF" $look "$PID"
		done
	done
	refused 1 'too many open files: there may be' prlimit --nofile=6 "$MPROF" status
	refused 1 'too many open files: there may be' prlimit --nofile=6 "$MPROF" control "$PID" status
	refused 1 'too many open files: there may be' prlimit --nofile=6 "$MPROF" detach "$PID"
	for look in heap leaks rss; do
		limited prlimit --nofile=9:1000 "$MPROF" $look "$PID" >out 2>err || fail "$look" "$(cat err)"
	done
	# What they start has the limit that they had.
	for look in doctor probes; do
		refused 1 'too many open files: there may be 9 .ulimit -n' prlimit --nofile=9:1000 "$MPROF" $look "$PID"
	done
	mkdir bin
	printf '#!/bin/sh\nulimit -Sn >>%s/soft\n' "$D" >bin/dpkg-query
	chmod +x bin/dpkg-query
	PATH=$D/bin:$PATH limited prlimit --nofile=64:1000 "$MPROF" doctor /bin/ls >out 2>err || :
	[ "$(sort -u soft)" = 64 ] || fail "$(cat soft out err)"
	clean "$PID"
	# what may be raised is raised
	limited prlimit --nofile=9:1000 "$MPROF" attach --background -o report.txt --data=run.data "$PID" 2>err
	limited prlimit --nofile=9 "$MPROF" status >out
	grep -q "^ *$PID  tracing " out || fail "$(cat out)"
	limited prlimit --nofile=9 "$MPROF" detach -o /dev/null "$PID"
	finish vforks
}

# within ENGINE KIB: a program of 3000 call sites, by an mprof and with itself in so many addresses; STATUS
within() {
	rm -f run.data run.txt out err
	STATUS=0
	(ulimit -v "$2" && limited "$MPROF" run "--engine=$1" -o run.txt --data=run.data "$T/manysites") >out 2>err || STATUS=$?
	[ "$STATUS" -le 1 ] || fail "$1, $2 KiB: status $STATUS" "$(cat err)" || return 1
	[ -n "$(ours err)" ] && nobody_left || fail "$1, $2 KiB: no sentence" || return 1
	if [ "$(cat out)" != 'manysites: done' ]; then
		[ "$STATUS" = 1 ] && [ ! -s out ] || fail "$1, $2 KiB: the program is wrong" "$(cat out err)"
		return
	fi
	[ -e run.data ] || { [ "$STATUS" = 1 ] && grep -q 'cannot write' err; } || fail "$1, $2 KiB: no data" "$(cat err)" || return 1
	[ ! -e run.data ] || { json run.data && is_whole_or_said; } || fail "$1, $2 KiB: the data" "$(cat err)"
}

is_whole_or_said() {
	[ "$(total allocs),$(total frees)" = 4500,1500 ] || grep -Eq 'events could not be counted: for want of memory|is not observed in full, .*: Cannot allocate memory' err
}

ran_it() {
	[ -s out ]
}

# all_is_there: nothing was left out for want of memory
all_is_there() {
	[ "$STATUS" = 0 ] && ! grep -q 'memory' err
}

# more_and_more ENGINE KIB STEP WHEN: the least from KIB on with which this is so, in V
more_and_more() {
	for ((V = $2; V < 4000000; V += $3)); do
		within "$1" $V || return 1
		! "$4" || return 0
	done
	fail "$1: never with less than $V KiB"
}

# ADDRESS_STEP: in KiB
@test "whatever addresses there are (ulimit -v): the program is right, and what is missing is said" {
	local engine
	for engine in trap fast; do
		more_and_more $engine 100000 30000 ran_it
		more_and_more $engine $((V - 29000)) ${ADDRESS_STEP:-5000} all_is_there
		echo "# $engine: all is there with $V KiB" >&3
	done
}

@test "a tracing process that gets no more addresses: the session is in good order to its end" {
	local engine
	for engine in trap fast; do
		rm -f marks.* run.data
		start marks "$T/marks"
		before "$PID"
		attach --engine=$engine -o report.txt --data=run.data "$PID"
		prlimit --pid "$(tracer_of "$PID")" --as="$(awk '/^VmSize/ { print $2 * 1024 }' "/proc/$(tracer_of "$PID")/status")"
		tell_await marks 'take 9000' '^did take'
		refused any 'memory' "$MPROF" leaks "$PID"
		answered status
		limited "$MPROF" control "$PID" save >save.out 2>save.err || says save.err 'cannot allocate memory|out of memory'
		limited "$MPROF" detach "$PID" >detach.out 2>detach.err || says detach.err 'cannot allocate memory|out of memory'
		ended "$FRONT"
		[ "$STATUS" -le 1 ] && says attach.err 'events could not be counted: for want of memory'
		[ "$STATUS" = 1 ] || { json run.data && [ "$(total allocs)" -lt 9000 ]; } || fail "status $STATUS"
		clean "$PID"
		finish marks
	done
}

# A cgroup in which whoever comes gets no more memory than so many bytes.
small_group() { # BYTES
	GROUP=/sys/fs/cgroup/memory/mprof-test-$$-$RANDOM
	mkdir "$GROUP" 2>/dev/null || GROUP=''
	[ -n "$GROUP" ] && echo "$1" 2>/dev/null >"$GROUP/memory.limit_in_bytes" || skip "there is no memory cgroup (version 1) that may be used"
	echo "$1" 2>/dev/null >"$GROUP/memory.memsw.limit_in_bytes" || :
}

@test "the kernel kills the tracing process for want of memory: the program goes on, and that is said" {
	local engine
	small_group 1000000
	for engine in trap fast; do
		rm -f marks.*
		start marks "$T/marks"
		before "$PID"
		attach --engine=$engine -o report.txt --data=run.data "$PID"
		echo "$(tracer_of "$PID")" >"$GROUP/cgroup.procs"
		tell_await marks 'take 9000' '^did take'
		gone "$FRONT" || ! answered save || ! limited "$MPROF" detach "$PID" || skip "the kernel has other memory for it"
		ended "$FRONT"
		[ "$STATUS" = 1 ]
		says attach.err 'the tracing process died'
		says attach.err "process $PID was put back in order from outside, and goes on"
		until_true "not free" all_free "$PID"
		own_text "$PID"
		nobody_left
		finish marks
	done
}
