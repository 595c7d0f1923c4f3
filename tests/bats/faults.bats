#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The n-th call of a kind fails in mprof (tests/lib/faults.c): the program is right, nobody is left behind, the data
# file that was there is whole, or another one is, and status and words are not those of a crash.
#
# FAULTS=all: of every n; otherwise of those that are Fibonacci's numbers.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

FAULTS=${FAULTS:-some}
SIMPLE='simple: done'
# What a sanitizer finds in mprof must not look like a status of its own; nor does it come first, see faults.c.
export ASAN_OPTIONS=exitcode=99:detect_leaks=1:verify_asan_link_order=0 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1

# faulty KIND N COMMAND...: STATUS is its; false: there is no such call any more
faulty() {
	local kind=$1 n=$2
	shift 2
	rm -f fault.log
	STATUS=0 FAULT_KIND=$kind
	limited env FAULT="$kind" FAULT_AT="$n" FAULT_LOG="$D/fault.log" FAULT_EXE="$(realpath "$MPROF")" \
		LD_PRELOAD="$T/faults.so" "$@" >out 2>err </dev/null || STATUS=$?
	[ -s fault.log ]
}

# bad WHAT: how the run was
bad() {
	fail "$1: status $STATUS, at $(sort fault.log | uniq -c | tr '\n' ' ')" "$(head -n 20 err)"
}

# whole_data: run.data is the one that was there, or another one, and the sentence says which
whole_data() {
	[ "$(echo mprof.data.*)" = 'mprof.data.*' ] || bad "a file was left" || return 1
	if cmp -s old.data run.data; then
		[ "$STATUS" != 0 ] || [ -n "$(ours err)" ] || bad "no profile, and no word of it"
		return
	fi
	limited "$MPROF" report --format=json run.data >report.json 2>report.err || bad "the data file is damaged" || return 1
	agrees report.json || bad "the data file is wrong" || return 1
	[ -z "${server_pid:-}" ] || return 0
	# Of a program that was killed less has been seen.
	[ "${FAULT_KIND:-}" = gone ] || grep -q '"lost":[1-9]' report.json || grep -Eq 'cannot|could not|not ' err ||
		[ "$(bin_of report.json 3259)$(bin_of report.json 3271)" = '100 10050 50' ] || bad "other numbers"
}

# no_crash: neither did it crash nor wait for ever, and who failed says so
no_crash() {
	# 126 and 127 are of a program that cannot be run.
	[ "$STATUS" -lt 128 ] && [ "$STATUS" != 124 ] || bad "a crash, or it waited" || return 1
	! grep -Eq 'internal error|tracing process died|ERROR: .*Sanitizer|runtime error:' err || bad "a crash" || return 1
	[ "$STATUS" = 0 ] || [ -n "$(ours err)" ] || bad "no sentence" || return 1
	[ -n "${server_pid:-}" ] || ! marked | grep -q . || no_strays || bad "processes were left"
}

# each_n FUNCTION KIND: FUNCTION is called with it and each n
each_n() {
	local n=1 next=2 sum
	while "$@" "$n"; do
		if [ "$FAULTS" = all ]; then
			n=$((n + 1))
		else
			sum=$((n + next)) n=$next next=$sum
		fi
	done
	[ ! -e failed ] || return 1
	echo "# $2: up to $n" >&3
}

a_run() { # KIND N
	cp old.data run.data
	faulty "$1" "$2" "$MPROF" run -o report.txt --data=run.data "$T/simple" || return 1
	{ no_crash && whole_data &&
		{ [ "$(cat out)" = "$SIMPLE" ] || { [ "$STATUS" != 0 ] && [ ! -s out ]; } || bad "the program"; }; } || {
		echo "$1 $2" >>failed
		return 1
	}
}

# The program is killed just before mprof asks something of it: mprof ends as that does.
a_killed() { # KIND N
	cp old.data run.data
	faulty "$1" "$2" "$MPROF" run -o report.txt --data=run.data "$T/simple" || return 1
	[ "$STATUS" != 137 ] || STATUS=0
	{ no_crash && whole_data && { [ ! -s out ] || [ "$(cat out)" = "$SIMPLE" ] || bad "the program"; }; } || {
		echo "$1 $2" >>failed
		return 1
	}
}

a_report() { # KIND N
	cp old.data run.data
	faulty "$1" "$2" "$MPROF" report -o report.txt run.data || return 1
	{ no_crash && { cmp -s old.data run.data || bad "the data file has changed"; } &&
		{ [ "$STATUS" != 0 ] || cmp -s report.txt whole.txt || bad "another report"; }; } || {
		echo "$1 $2" >>failed
		return 1
	}
}

a_detach() { # KIND N
	cp old.data run.data
	attach -o /dev/null --data=run.data "$PID" || return 1
	local more=0 status
	faulty "$1" "$2" "$MPROF" detach "$PID" || more=1
	status=$STATUS
	no_crash || more=2
	# It may not have been heard.
	[ ! -e "$XDG_RUNTIME_DIR/mprof/$PID.sock" ] || limited "$MPROF" detach "$PID" >/dev/null 2>&1 || :
	ended "$FRONT" && [ "$STATUS" = 0 ] && clean "$PID" && progress server 2 || more=2
	STATUS=$status
	[ $more = 0 ] || { [ $more = 1 ] || echo "$1 $2" >>failed; return 1; }
}

a_attach() { # KIND N
	cp old.data run.data
	rm -f fault.log
	background env FAULT="$1" FAULT_AT="$2" FAULT_LOG="$D/fault.log" FAULT_EXE="$(realpath "$MPROF")" \
		LD_PRELOAD="$T/faults.so" "$MPROF" attach -o /dev/null --data=run.data "$PID"
	until_true "mprof attach has not begun" begun_or_gone
	gone "$FRONT" || limited "$MPROF" detach "$PID" >/dev/null 2>&1 || kill -TERM "$FRONT" 2>/dev/null || :
	ended "$FRONT" || return 1
	cp attach.err err
	{ no_crash && whole_data && clean "$PID" && progress server 2; } || {
		echo "$1 $2" >>failed
		return 1
	}
	[ -s fault.log ]
}

old() {
	limited "$MPROF" run -o report.txt --data=old.data "$T/simple" >/dev/null 2>&1
	limited "$MPROF" report -o whole.txt old.data
}

@test "run: memory fails at any call" {
	old
	each_n a_run alloc
}

# After every 14th of some 600 requests on, and later every 6th, libseccomp 2.5.4 searches for ever. Landlock keeps the
# log from being written there, so it does not tell that there was such a call.
@test "run: memory fails at a call of the confined process: it comes to an end, and the report without names" {
	old
	export FAULT_IN=mprof-apart
	local n ended=0
	for n in $(seq 3 40 600) $(seq 700 713); do
		cp old.data run.data
		faulty alloc "$n" "$MPROF" run -o report.txt --data=run.data "$T/simple" || :
		: >>fault.log
		[ "$STATUS" = 0 ] && no_crash && whole_data && [ "$(cat out)" = "$SIMPLE" ] || bad "call $n"
		grep -Eq 'names from DWARF|no names' err || bad "call $n: no word of it"
		! grep -q 'had not enough memory to confine itself' err || ended=$((ended + 1))
	done
	echo "# $ended could not confine themselves" >&3
}

@test "run: the disk is full at any call" {
	old
	each_n a_run space
}

@test "run: there are no more files at any call" {
	old
	each_n a_run files
}

@test "run: a signal interrupts any call" {
	old
	each_n a_run intr
}

@test "run: any read or write is short" {
	old
	each_n a_run short
}

@test "run: memory, disk and files fail from any call of the tracing process on" {
	old
	export FAULT_IN=mprof-tracer FAULT_TIMES=0
	local kind
	for kind in alloc space files; do
		each_n a_run $kind
	done
}

@test "run: the program is killed before any request" {
	old
	export FAULT_IN=mprof-tracer
	each_n a_killed gone
}

@test "report: memory fails at any call" {
	old
	each_n a_report alloc
}

@test "report: disk, files, signals and short reads at any call" {
	old
	local kind
	for kind in space files intr short; do
		each_n a_report $kind
	done
}

@test "attach: memory fails at any call" {
	old
	start server "$T/server" 2 500
	before "$PID"
	each_n a_attach alloc
	finish server
}

@test "attach: disk, files, signals and short reads at any call" {
	old
	start server "$T/server" 2 500
	before "$PID"
	local kind
	for kind in space files intr short; do
		each_n a_attach $kind
	done
	finish server
}

@test "detach: memory, files, signals at any call" {
	old
	start server "$T/server" 2 500
	before "$PID"
	local kind
	for kind in alloc files intr; do
		each_n a_detach $kind
	done
	finish server
}
