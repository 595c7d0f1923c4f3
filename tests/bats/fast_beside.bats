#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Both engines at once: functions that can have a pad get one, others of the same program are trapped, and
# what is called inside of which is told right across the two.

bats_require_minimum_version 1.5.0
load ../lib/common
load ../lib/live
load ../lib/engines

HOOKS=(--hook=malloc:pool_take --hook=free:pool_give --hook=realloc:pool_more)

# exactly_alike COMMAND...: both engines have the same tables, and these are what the program says that it did.
exactly_alike() {
	local engine
	for engine in trap fast; do
		rm -f bins
		BINS=bins by $engine "$@" || return 1
		nothing "$(truth_differences $engine.json bins)" "$engine, $*: not what the program did:" || return 1
	done
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
	jq -e '[.bins[] | select(.size == 8601 or .size == 8651) | .allocs] == [375, 375]' fast.json ||
		fail "$(jq -c '.bins[]' fast.json)"
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
	cat >lisp.probes <<-EOT
		label   alloc_object label=1 c=3 f=5 s=40-41
		label   cons is=c
		label   vector is=s
		wrapper raw
	EOT
	OPTIONS=(--probes=lisp.probes)
	exactly_alike "$T/labels"
	jq -e '.breakdown == "kind" and .direct[0].bytes == {c: (12 * 16), f: (3 * 24), s: (2 * 8 + 2 * 2000), o: (2 * 16)}' \
		fast.json || fail "$(jq -c .direct fast.json)"
}

@test "libraries of allocators are exact with both engines at once, each in its way" {
	local p
	for p in jemallocx tcmallocs mimallocs mipools slices aprpools boehm finalizers; do
		exactly_alike "$T/$p"
	done
	exactly_alike "$T/jemallocx"
	by_traps 'xallocx \(resizing in place\)'
	exactly_alike "$T/aprpools"
	by_traps 'a library with pools, labels or callbacks'
}

@test "an allocator in the place of malloc is exact with both engines at once" {
	local l p
	for l in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		for p in simple resize aligned cxx; do
			alike env LD_PRELOAD=$l "$T/$p"
		done
	done
}
