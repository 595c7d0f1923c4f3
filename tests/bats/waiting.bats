#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The ways to wait for the next stop: the program and what is counted are the same in each.

bats_require_minimum_version 1.5.0
load ../lib/common

WAYS=(follow adaptive sleep spin pin)

# waiting WAY: from now on MPROF waits in this way.
waiting() {
	REAL=${REAL:-$MPROF}
	MPROF=$PWD/mprof.$1
	cat >"$MPROF" <<-EOT
		#!/bin/sh
		command=\$1
		shift
		[ "\$command" != run ] || exec "$REAL" run --wait=$1 "\$@"
		exec "$REAL" "\$command" "\$@"
	EOT
	chmod +x "$MPROF"
}

# in_each_way ARGUMENTS-OF-EXACT...
in_each_way() {
	local way
	for way in "${WAYS[@]}"; do
		waiting "$way"
		exact "$@" || fail "--wait=$way" || return 1
	done
}

@test "one thread: exact in each way" {
	in_each_way -peak 0 "$T/recursion"
}

@test "threads that free each other's blocks: exact in each way" {
	in_each_way 0 "$T/pairs" 60
}

@test "a signal every millisecond: exact in each way" {
	in_each_way -counted 0 "$T/storm" 300
}

@test "an allocator of the program's own: exact in each way" {
	in_each_way -own 0 "$T/own"
}

@test "the program's affinity, policy and nice value are its own" {
	local way
	for way in follow adaptive sleep spin; do
		waiting "$way"
		exact 0 "$T/placed" || fail "--wait=$way"
		# Whoever may not come back from that policy does not go there.
		if [ $way != follow ] || [ "$(id -u)" != 0 ]; then
			! grep -q '^idle ' tracer || fail "--wait=$way: the tracer had the lowest of priorities"
		fi
	done
}

# followed: how often the last run followed, and gave up
followed() {
	sed -nE 's/^mprof: followed a task to its processor ([0-9]+) times?, and gave up ([0-9]+) .*/\1 \2/p' err
}

@test "a program of one thread is followed" {
	needs_traps "nobody waits for the tracer"
	[ "$(id -u)" = 0 ] || skip "only who can come back from the lowest priority goes there"
	limited "$MPROF" run --stats -o /dev/null --data=/dev/null "$T/placed" 2>err
	local begun up
	read -r begun up < <(followed)
	[ "$begun" -ge 1 ] || fail "$(cat err)"
	limited "$MPROF" run --stats --wait=adaptive -o /dev/null --data=/dev/null "$T/placed" 2>err
	[ -z "$(followed)" ] || fail "$(cat err)"
}

@test "who could not come back from the lowest priority does not go there" {
	[ "$(id -u)" = 0 ] || skip "only root can give up the privilege"
	waiting follow
	local mprof placed
	mprof=$(for_anybody "$REAL")
	placed=$(for_anybody "$T/placed")
	chmod 777 .
	limited setpriv --reuid=65534 --regid=65534 --clear-groups env -u XDG_RUNTIME_DIR \
		"$mprof" run -o /dev/null --data=/dev/null "$placed" 2>err || fail "$(cat err)"
	[ "$(cat tracer)" = "other 3000" ]
}

@test "a processor that others want is not waited for: the tracer goes back to the ordinary priority" {
	needs_traps "nobody waits for the tracer"
	local cpu=0 pids=() i
	cpu=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')
	for ((i = 0; i < 2; i++)); do
		taskset -c "$cpu" sh -c 'while :; do :; done' 3>&- &
		pids+=($!)
	done
	taskset -c "$cpu" "$MPROF" run --stats --wait=follow -o /dev/null --data=/dev/null "$T/placed" 2>err
	kill "${pids[@]}"
	local begun up
	read -r begun up < <(followed)
	[ "$begun" -ge 1 ] && [ "$up" -ge 1 ] || fail "$(cat err)"
}
