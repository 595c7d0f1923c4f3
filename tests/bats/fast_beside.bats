#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2034,SC2153
# Both engines at once: functions that can have a pad get one, others of the same program are trapped, and
# what is called inside of which is told right across the two.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live
load ../lib/engines
load ../lib/redis

HOOKS=(--hook=malloc:pool_take --hook=free:pool_give --hook=realloc:pool_more)

# truly ENGINE COMMAND...: its tables are what the program says that it did.
truly() {
	rm -f bins
	BINS=bins by "$@" || return 1
	agrees "$1.json" bins || fail "$*"
}

# exactly_alike COMMAND...: so they are, and the same by both engines.
exactly_alike() {
	truly trap "$@" && truly fast "$@" || return 1
	diff trap.chains fast.chains || fail "other chains: $*" || return 1
	diff trap.report fast.report || fail "another report: $*" || return 1
	says fast.err ' 0 events lost$'
}

# by_traps WORDS: what was said of functions that are left to traps
by_traps() {
	says fast.err "has [0-9]* functions? that (is|are) watched by traps: .*$1"
}

@test "a trapped function that calls one with a pad, and is called by one, counts once" {
	OPTIONS=("${HOOKS[@]}")
	exactly_alike "$T/beside" nest
	by_traps 'pool_take.*\(arguments that may be anywhere\)$'
	# je_malloc and others have pads.
	! ours fast.err | grep -q 'by traps.*je_' || fail "$(ours fast.err)"
}

@test "what longjmp has left, trapped or not, is inside of nothing" {
	OPTIONS=("${HOOKS[@]}")
	exactly_alike "$T/beside" jump
}

@test "what a signal handler calls that has interrupted a call of either kind counts, on any stack" {
	OPTIONS=("${HOOKS[@]}")
	exactly_alike "$T/beside" signal
}

@test "threads are each in their own calls" {
	OPTIONS=("${HOOKS[@]}")
	local i
	for i in 1 2 3; do
		by fast "$T/beside" threads
		says fast.err ' 0 events lost$'
	done
	exactly_alike "$T/beside" threads
}

@test "a child that shares the memory leaves its parent in the calls that that is in" {
	OPTIONS=("${HOOKS[@]}")
	exactly_alike "$T/beside" vfork
}

@test "calls of a pad inside of one that gives a label have it" {
	label_probes >lisp.probes
	OPTIONS=(--probes=lisp.probes)
	exactly_alike "$T/labels"
	jq -e '.breakdown == "kind" and .direct[0].bytes == {c: (12 * 16), f: (3 * 24), s: (2 * 8 + 2 * 2000), o: (2 * 16)}' \
		fast.json || fail "$(jq -c .direct fast.json)"
}

@test "libraries of allocators are exact with both engines at once, each in its way" {
	local p
	for p in tcmallocs mimallocs mipools slices boehm; do
		exactly_alike "$T/$p"
	done
	# Which objects this collector finds depends on words that are left behind on the stack.
	truly fast "$T/finalizers"
	exactly_alike "$T/jemallocx"
	by_traps 'xallocx \(resizing in place\)'
	exactly_alike "$T/aprpools"
	by_traps 'a library with pools, labels or callbacks'
}

@test "an allocator in the place of malloc is exact with both engines at once" {
	local l p
	for l in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		for p in simple lives peak recursion; do
			alike env LD_PRELOAD=$l "$T/$p"
		done
	done
	# With operators new and delete of their own.
	for l in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
		alike env LD_PRELOAD=$l "$T/cxx"
	done
}

@test "children that are not followed go on in the middle of calls of both kinds" {
	OPTIONS=("${HOOKS[@]}")
	exactly_alike "$T/beside" fork
}

# ---- attaching, and being killed ----

@test "a program in calls of both kinds is attached to again and again, and is as it was afterwards" {
	local i
	start beside "$T/beside" serve
	progress beside
	before "$PID"
	for i in 1 2 3 4; do
		"$MPROF" attach --engine=fast "${HOOKS[@]}" --duration=0.3 -o "r$i" --data="d$i" "$PID" 2>"e$i" ||
			fail "round $i" "$(cat "e$i")"
		says "e$i" 'watched by traps: .*pool_take'
		says "e$i" ' 0 events lost$'
		progress beside
		clean "$PID"
	done
	finish beside
	grep -qx 'checksum right' beside.out
}

@test "suspended and resumed, calls of both kinds are seen again, each once" {
	start beside "$T/beside" serve
	attach --engine=fast "${HOOKS[@]}" -o report.txt --data=run.data "$PID"
	local i
	for i in 1 2 3; do
		progress beside
		answered suspend
		progress beside
		answered resume
	done
	progress beside
	detach "$PID"
	finish beside
	json run.data
	# What is inside of others has sizes of its own, and is no event; but of a call that had begun before a resume
	# nobody knows, with traps neither: what one of the threads made inside of it then counts. Four threads at
	# most, three times, and three calls deep, are few beside all that they did.
	local inner outer
	inner=$(jq '[.bins[] | select(.size > 8309 and .size < 8326) | .allocs] | add // 0' report.json)
	outer=$(jq '[.bins[] | select(.size >= 8301 and .size <= 8309) | .allocs] | add // 0' report.json)
	((inner <= 36 && outer > 100 * inner && outer > 360)) || fail "$inner inside of others, $outer outside"
	[ "$(jq '[.bins[] | select(.size >= 8301 and .size <= 8309)] | length' report.json)" = 9 ]
}

# killed COMMAND...: the tracer of beside is killed by this. The program goes on and is right, or, if a thread has
# just met a breakpoint, died of that, which is said; which of them is counted in ALIVE and TRAPPED.
killed() {
	rm -f beside.* killed
	start beside "$T/beside" serve one || return 1
	"$@" || return 1
	ended "$FRONT" || return 1
	if grep -q "process $PID has died of SIGTRAP" attach.err; then
		ended "$PID"
		[ "$STATUS" = 133 ] || fail "$*: ended with $STATUS" "$(cat attach.err)" || return 1
		TRAPPED=$((TRAPPED + 1))
		return
	fi
	until_true "$*: not free" all_free "$PID" && diff=$("$T/textdiff" "$PID") && progress beside 1 2 && finish beside ||
		fail "$*: harmed" "$(cat killed attach.err)" "$diff" || return 1
	grep -qx 'checksum right' beside.out || return 1
	ALIVE=$((ALIVE + 1))
}

by_hand() {
	attach --engine=fast "${HOOKS[@]}" -o report.txt --data=run.data "$PID" &&
		progress beside 1 "$1" && kill -KILL "$(tracer_of "$PID")"
}

at_call() {
	KILL_FROM=seize KILL_AT=$1 KILL_LOG=$D/killed LD_PRELOAD=$T/killat.so background "$MPROF" attach --engine=fast \
		"${HOOKS[@]}" --duration=0.02 -o /dev/null --data=/dev/null "$PID"
}

@test "kill -9 of the tracing process while calls of both kinds are pending: the program goes on, and is right" {
	local i
	ALIVE=0 TRAPPED=0
	for ((i = 0; i < ${KILLS:-12}; i++)); do
		killed by_hand $((i * 7))
	done
	echo "$ALIVE went on, $TRAPPED met a breakpoint"
	[ $ALIVE -gt 0 ]
}

@test "kill -9 of the tracing process at the end of any of its system calls, beside traps: the program is right" {
	local n stride=41
	[ "${KILLS:-0}" -lt 60 ] || stride=3
	ALIVE=0 TRAPPED=0
	for ((n = 0; n < ${KILLS:-800}; n += stride)); do
		killed at_call $n
		[ -e killed ] || break
	done
	echo "$ALIVE went on, $TRAPPED met a breakpoint"
	[ "$n" -gt 100 ] || fail "there were no more than $n calls"
	[ $ALIVE -gt $TRAPPED ]
}

# ---- redis: an allocator of which one function can have no pad ----

# begin_load REQUESTS: in the background; its number is in LOAD
begin_load() {
	env "MPROF_TEST_MARK=$MARK" redis-benchmark -s "$SOCK" -t set,get,lpush,lpop -n "$1" -c 20 -P 16 -r 1000 -d 300 -q \
		>load.out 2>load.err </dev/null 3>&- &
	LOAD=$!
}

# CYCLES: as many
@test "redis under load is attached to again and again: no fault, no failed request, all is as before" {
	local i
	begin_redis
	# Whatever it maps when it begins to work is mapped by then.
	begin_load 20000
	ended "$LOAD"
	for ((i = 1; i <= ${CYCLES:-4}; i++)); do
		begin_load 40000
		"$MPROF" attach --engine=fast --duration=0.3 -o report.txt --data=run.data "$PID" 2>attach.err ||
			fail "round $i" "$(cat attach.err)"
		says attach.err 'watched by traps: .*xallocx \(resizing in place\)'
		says attach.err ' 0 events lost$'
		ended "$LOAD"
		[ "$STATUS" = 0 ] && [ "$(grep -c 'requests per second' load.out)" -ge 4 ] ||
			fail "round $i: the load has failed" "$(cat load.out load.err)"
		! grep -qi 'error' load.out load.err || fail "round $i" "$(cat load.out load.err)"
		clean "$PID"
		[ "$(grep -c 'mprof\|memfd' "/proc/$PID/maps")" = 0 ] || fail "left" "$(cat "/proc/$PID/maps")"
	done
	json run.data
	[ "$(total allocs)" -gt 1000 ]
	kill "$PID"
	ended "$PID"
	[ "$STATUS" = 0 ] || fail "redis ended with $STATUS" "$(tail redis.out redis.err)"
}
