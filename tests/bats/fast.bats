#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The engine that does not trap: what it refuses, that it leaves nothing, and that a killed tracer harms
# nobody. That its counts are exact, exact.bats shows, which is run with it, too.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live

fast() { # COMMAND...: refused, with this in the sentence
	local sentence=$1
	shift
	status=0
	"$MPROF" "$@" >out 2>err || status=$?
	[ "$status" != 0 ] || fail "not refused" "$(cat err)" || return 1
	grep -q -- "$sentence" err || fail "no /$sentence/" "$(cat err)"
}

@test "the fast engine traps no call" {
	"$MPROF" run --engine=fast --stats -o /dev/null --data=f.data -- "$T/simple" >out 2>err
	traps=$(sed -n 's/^mprof: \([0-9]*\) traps hit.*/\1/p' err)
	[ "$traps" -lt 20 ] || fail "$traps traps" "$(cat err)"
	"$MPROF" run --stats -o /dev/null --data=t.data -- "$T/simple" >out 2>err
	[ "$(sed -n 's/^mprof: \([0-9]*\) traps hit.*/\1/p' err)" -gt "$traps" ]
	for f in f t; do
		"$MPROF" report --format=json "$f.data" | jq -c '[.totals, .leaks]' >"$f.json"
	done
	diff <(jq -c '.[0] | .allocs, .bytes, .frees, .kept_bytes' f.json) \
		<(jq -c '.[0] | .allocs, .bytes, .frees, .kept_bytes' t.json) || fail "other counts"
}

@test "the fast engine knows the first thread, which begins without a thread pointer" {
	"$MPROF" run --engine=fast --stats -o /dev/null --data=/dev/null -- "$T/simple" >out 2>err
	said=$(sed -n 's/.*the fast engine: \([0-9]*\) functions, \([0-9]*\) records, of these \([0-9]*\) .*, \([0-9]*\) with.*/\1 \2 \3 \4/p' err)
	read -r functions records strangers stacks <<<"$said"
	[ "${functions:-0}" -gt 5 ] && [ "$records" -gt 10 ] || fail "no figures" "$(cat err)"
	[ "$strangers $stacks" = "0 0" ] || fail "strangers" "$(cat err)"
}

@test "the fast engine is the default if MPROF_ENGINE says so, and nothing else is an engine" {
	MPROF_ENGINE=fast "$MPROF" run --stats -o /dev/null --data=/dev/null -- "$T/simple" >out 2>err
	traps=$(sed -n 's/^mprof: \([0-9]*\) traps hit.*/\1/p' err)
	[ "$traps" -lt 20 ] || fail "$traps traps" "$(cat err)"
	MPROF_ENGINE=slow fast "MPROF_ENGINE is slow" run true
	fast "trap, fast or auto" run --engine=slow true
}

@test "the fast engine refuses what it cannot do, before the program runs" {
	fast "cannot be used: its free() cannot be seen without a trap: a return among its first instructions; use --engine=trap" \
		run --engine=fast -o /dev/null --data=/dev/null -- "$T/own-static"
	[ ! -s out ] || fail "it has run" "$(cat out)"
	fast "does not do --time-unit=i" run --engine=fast --massif-out-file=m --time-unit=i true
}

@test "a massif file of the fast engine has milliseconds if nobody asked for instructions" {
	local engine
	for engine in fast auto; do
		MPROF_ENGINE=$engine "$MPROF" run -o /dev/null --data=/dev/null --massif-out-file=m -- "$T/simple" >out 2>err ||
			fail "$engine" "$(cat err)"
		grep -q 'time is told in milliseconds: the fast engine counts no instructions' err || fail "$(cat err)"
		! grep -q 'watched by traps' err || fail "$(cat err)"
		grep -qx 'time_unit: ms' m
	done
}

# handed_out NAME: targets/addresses, which has begun as NAME, is told to map once more
handed_out() {
	tell_await "$1" map '^mapped$'
}

# same_addresses NAME WHAT: those that it was given in all are those that it was given alone
same_addresses() {
	finish "$1" || return 1
	[ "$(lines_with alone.out ' 0x')" = 39 ] || fail "not what it should say" "$(cat alone.out)" || return 1
	diff <(grep -a ' 0x' alone.out) <(grep -a ' 0x' "$1.out") || fail "other addresses: $2"
}

@test "the addresses that the kernel hands out are those of the program alone" {
	local form layout
	for form in -pie -no-pie -static -static-pie; do
		cc -D_GNU_SOURCE -O1 -I"$ROOT/tests/targets" $form -pthread -o addresses "$ROOT/tests/targets/addresses.c"
		for layout in -R -RL; do
			start alone setarch "$layout" ./addresses
			for _ in 1 2 3; do
				handed_out alone
			done
			finish alone
			start run setarch "$layout" "$MPROF" run --engine=fast -o /dev/null --data=/dev/null ./addresses
			for _ in 1 2 3; do
				handed_out run
			done
			same_addresses run "run $form $layout"
			start attached setarch "$layout" ./addresses
			handed_out attached
			attach --engine=fast -o /dev/null --data=/dev/null "$PID"
			handed_out attached
			detach "$PID"
			handed_out attached
			same_addresses attached "attach $form $layout"
			rm ./*.in
		done
	done
}

@test "a busy server is attached to again and again by the fast engine, and is as it was afterwards" {
	start server "$T/server"
	progress server
	for i in 1 2 3 4 5 6; do
		"$MPROF" attach --engine=fast --duration=0.2 -o "r$i" --data="d$i" "$PID" 2>"e$i" ||
			fail "round $i" "$(cat "e$i")"
		progress server
		text_clean "$PID"
		grep -q ' 0 events lost' "e$i" || fail "round $i" "$(cat "e$i")"
	done
	[ "$(awk '/mprof|memfd/' "/proc/$PID/maps" | wc -l)" = 0 ] || fail "something is left" "$(cat "/proc/$PID/maps")"
	finish server
	grep -qx 'checksum right' server.out
}

# ---- the tracing process is killed ----

# said_as_mapped PID: mprof has said how much of it the process keeps, and it is so.
said_as_mapped() {
	local code shared
	read -r code shared < <("$ROOT/tests/lib/fastmemory.py" kept "$1")
	says attach.err "process $1 keeps $code KiB of mprof's code, and $shared KiB of addresses"
}

# killed_fast_at N [ARG...]: targets/exactly, whose tracer is killed at the end of its system call number N of
# all that deal with tasks from the attaching on. The program lives in any case, and is right.
killed_fast_at() {
	local n=$1
	shift
	rm -f exactly.* killed
	start exactly "$T/exactly" "$@" || return 1
	KILL_FROM=seize KILL_AT=$n KILL_LOG=$D/killed LD_PRELOAD=$T/killat.so background "$MPROF" attach --engine=fast \
		--duration=0.02 -o /dev/null --data=/dev/null "$PID"
	ended "$FRONT" || return 1
	[ ! -e killed ] || [ "$STATUS" = 1 ] || fail "kill $n: mprof ended with $STATUS" "$(cat attach.err)" || return 1
	! grep -Eq 'died of|had to be killed' attach.err || fail "kill $n, at the end of $(cat killed)" "$(cat attach.err)" || return 1
	until_true "kill $n: not free" all_free "$PID" && own_text "$PID" && progress exactly 1 2 && finish exactly ||
		fail "kill $n, at the end of $(cat killed): harmed" "$(tail -n 3 exactly.out attach.err)" || return 1
	grep -qx 'checksum right' exactly.out
}

# A session of it has some hundreds of such calls. KILLS: as many of them, one after the other.
@test "kill -9 of the tracing process at the end of any of its system calls, nothing being trapped: the program is right" {
	local n stride=17
	[ "${KILLS:-0}" -lt 60 ] || stride=1
	for ((n = 0; n < ${KILLS:-1000}; n += stride)); do
		killed_fast_at $n
		[ -e killed ] || break
	done
	[ "$n" -gt 100 ] || fail "there were no more than $n calls"
}

@test "kill -9 of the tracing process while signals come, nothing being trapped: the program is right" {
	local n stride=29
	[ "${KILLS:-0}" -lt 60 ] || stride=3
	for ((n = 1; n < ${KILLS:-1000}; n += stride)); do
		killed_fast_at $n 300
		[ -e killed ] || break
	done
	[ "$n" -gt 100 ] || fail "there were no more than $n calls"
}

# at_a_stand: the ring is full; or all threads of the server wait for something else of the tracer.
at_a_stand() {
	"$ROOT/tests/lib/fastmemory.py" full "$PID" && return
	local before=$REQUESTS
	REQUESTS=$(reported server 1)
	[ "$REQUESTS" = "$before" ]
}

# Stopped, it takes nothing any more, and the threads wait for it.
@test "kill -9 of the tracing process of a busy server, with threads that wait for it: it goes on each time, and is right" {
	start server "$T/server"
	progress server
	local i tracer
	for ((i = 0; i < ${KILLS:-6}; i++)); do
		attach --engine=fast -o report.txt --data=run.data "$PID"
		progress server 2
		tracer=$(tracer_of "$PID")
		if ((i % 2)); then
			kill -STOP "$tracer"
			REQUESTS=''
			until_true "the threads do not come to wait" at_a_stand
		fi
		kill -KILL "$tracer"
		ended "$FRONT"
		[ "$STATUS" != 0 ]
		says attach.err "process $PID was put back in order from outside, and goes on"
		[ $i != 0 ] || said_as_mapped "$PID"
		until_true "not free" all_free "$PID"
		own_text "$PID"
		progress server 2
	done
	finish server
	grep -qx 'checksum right' server.out
}

# attach_exactly OPTION...: what targets/phases does at "go" is counted exactly.
attach_exactly() {
	rm -f bins
	attach -o report.txt --data=run.data "$@" "$PID" || return 1
	tell_await phases go '^done' || return 1
	detach "$PID" || return 1
	json run.data bins || return 1
	[ "$(total allocs)" = "$(awk '$1 == "bin" { n += $3 } END { print n }' bins)" ]
}

@test "what a killed tracing process has left in a program does not disturb the next, of either engine" {
	BINS=$D/bins start phases "$T/phases"
	local i
	for i in 1 2 3; do
		attach --engine=fast -o report.txt --data=run.data "$PID"
		tell_await phases more '^done'
		kill -KILL "$(tracer_of "$PID")"
		ended "$FRONT"
		until_true "not free" all_free "$PID"
		attach_exactly --engine=fast
		attach_exactly --engine=trap
		own_text "$PID"
	done
	finish phases
}

# Nobody is left to put anything right: what there is in the program has to do it alone.
@test "kill -9 of all of mprof's processes: the program goes on, and a later session with traps is exact" {
	BINS=$D/bins start phases "$T/phases"
	attach --engine=fast -o report.txt --data=run.data "$PID"
	local tracer
	tracer=$(tracer_of "$PID")
	kill -KILL $(our_processes) "$tracer"
	ended "$FRONT"
	until_true "not free" all_free "$PID"
	tell_await phases more '^done'
	attach_exactly --engine=trap
	finish phases
}

# killed_forking_at N yes|no: the tracer is killed at the end of its system call number N after it was told of a
# fork, its children being followed or not. All live, are right, and have their own code.
killed_forking_at() {
	rm -f kin.* killed
	start kin "$T/kin" || return 1
	KILL_FROM=fork KILL_AT=$1 KILL_LOG=$D/killed LD_PRELOAD=$T/killat.so attach --engine=fast \
		--trace-children="$2" -o /dev/null --data=/dev/null "$PID" || return 1
	tell_await kin fork '^forked' && progress kin 2 || return 1
	[ -e killed ] || limited "$MPROF" detach "$PID" >/dev/null 2>detach.err || [ -e killed ] || return 1
	ended "$FRONT" || return 1
	until_true "kill $1: not free" all_free "$PID" && own_text "$PID" && own_text "$(sed -n 's/^forked //p' kin.out)" &&
		progress kin 1 && progress kin 2 && finish kin ||
		fail "kill $1, at the end of $(cat killed), followed: $2" "$(tail -n 3 kin.out attach.err)" || return 1
	grep -qx 'checksum right' kin.out
}

# A fork has some dozens of such calls, of the child's being made ready and of its parent's. KILLS: as many of
# them, one after the other.
@test "kill -9 of the tracing process at the end of any of its system calls after a fork: the child's code is its own" {
	local followed n stride=29
	[ "${KILLS:-0}" -lt 60 ] || stride=1
	for followed in yes no; do
		for ((n = 4; n < ${KILLS:-120}; n += stride)); do
			killed_forking_at $n $followed
			[ -e killed ] || fail "there were no more than $n calls"
		done
	done
}

@test "children made by fork live on when the tracing process is killed" {
	start kin "$T/kin"
	tell_await kin fork '^forked'
	local i
	for i in 1 2 3 4 5; do
		attach --engine=fast --trace-children=$([ $((i % 2)) = 0 ] && echo yes || echo no) -o report.txt --data=run.data "$PID"
		tell_await kin fork '^forked'
		progress kin 2
		[ $i -lt 4 ] || tell kin fork
		kill -KILL "$(tracer_of "$PID")"
		ended "$FRONT"
		until_true "not free" all_free "$PID"
		progress kin 1
		progress kin 2
		own_text "$PID"
	done
	for i in $(sed -n 's/^forked //p' kin.out); do
		own_text "$i"
	done
	finish kin
	grep -qx 'checksum right' kin.out
}

# Its one thread is also the one that has to map and unmap what is ours; a signal that it is about to get comes
# first.
@test "attached to again and again while real-time signals come, nothing being trapped: not one is missing" {
	start rtqueue "$T/rtqueue"
	local i
	for ((i = 0; i < ${CYCLES:-5}; i++)); do
		"$MPROF" attach --engine=fast --duration=0.05 -o /dev/null --data=/dev/null "$PID" 2>attach.err ||
			fail "round $i" "$(cat attach.err)"
		own_text "$PID"
		progress rtqueue
	done
	finish rtqueue
}
