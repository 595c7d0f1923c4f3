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
	traps=$(sed -n 's/.* stops in all, \([0-9]*\) traps hit.*/\1/p' err)
	[ "$traps" -lt 20 ] || fail "$traps traps" "$(cat err)"
	"$MPROF" run --stats -o /dev/null --data=t.data -- "$T/simple" >out 2>err
	[ "$(sed -n 's/.* stops in all, \([0-9]*\) traps hit.*/\1/p' err)" -gt "$traps" ]
	for f in f t; do
		"$MPROF" report --format=json "$f.data" | jq -c '[.totals, .leaks]' >"$f.json"
	done
	diff <(jq -c '.[0] | .allocs, .bytes, .frees, .kept_bytes' f.json) \
		<(jq -c '.[0] | .allocs, .bytes, .frees, .kept_bytes' t.json) || fail "other counts"
}

@test "the fast engine is the default if MPROF_ENGINE says so, and nothing else is an engine" {
	MPROF_ENGINE=fast "$MPROF" run --stats -o /dev/null --data=/dev/null -- "$T/simple" >out 2>err
	traps=$(sed -n 's/.* stops in all, \([0-9]*\) traps hit.*/\1/p' err)
	[ "$traps" -lt 20 ] || fail "$traps traps" "$(cat err)"
	MPROF_ENGINE=slow fast "MPROF_ENGINE is slow" run true
	fast "trap, fast or auto" run --engine=slow true
}

@test "the fast engine refuses what it cannot do, before the program runs" {
	fast "the fast engine cannot be used" run --engine=fast -o /dev/null --data=/dev/null -- "$T/plain-static"
	[ ! -s out ] || fail "it has run" "$(cat out)"
	fast "the fast engine cannot be used" run --engine=fast -o /dev/null --data=/dev/null -- "$T/own"
	fast "does not do --trace-children" run --engine=fast --trace-children=yes true
	fast "does not do --tree" attach --engine=fast --tree 1
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

@test "kill -9 of the tracing process of a busy server: it goes on each time, and is right" {
	start server "$T/server"
	progress server
	local i
	for ((i = 0; i < 5; i++)); do
		attach --engine=fast -o report.txt --data=run.data "$PID"
		progress server 2
		kill -KILL "$(tracer_of "$PID")"
		ended "$FRONT"
		[ "$STATUS" != 0 ]
		until_true "not free" all_free "$PID"
		text_clean "$PID" || return 1
		progress server 2
	done
	finish server
	grep -qx 'checksum right' server.out
}
