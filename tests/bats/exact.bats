#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Exact to the byte: what the report says is what the program did and what an independent counter
# saw in the same run, and the program is not changed by being watched. See exact() in common.bash.

bats_require_minimum_version 1.5.0
load ../lib/common

# report JQ-CONDITION: holds for the last report
report() {
	jq -e "$1" report.json >/dev/null || fail "not so: $1" "$(jq -c .leaks,.direct report.json | head -c 4000)"
}

whole() {
	report '.totals.truncated_chains == 0'
}

# ---- the functions ----

@test "malloc(0), failing calls and calloc overflows are counted as the rules say" {
	exact -peak 0 "$T/edges"
	whole
}

@test "every case of realloc and reallocarray is one free and one allocation, or none" {
	exact -peak 0 "$T/resize"
	whole
}

@test "aligned allocations count with the size asked for, their errors as failures" {
	exact -peak 0 "$T/aligned"
}

@test "a program that has alignment checked lives on, and is exact" {
	exact -own 0 "$T/alignment"
	whole
}

@test "frees that end a destructor, and places that call now free, now another: exact" {
	exact -peak 0 "$T/dtors"
	whole
}

@test "virtual destructors that free and end in operator delete are exact" {
	exact -peak 0 "$T/virtuals"
	whole
}

@test "a preloaded allocator that hands a header's address on is seen once, not twice" {
	exact -own 0 env LD_PRELOAD="$T/headers.so" "$T/simple"
}

@test "a static program's own free may be made of realloc" {
	exact -own 0 "$T/freeres"
}

@test "sizes above 4 GiB are exact" {
	exact -peak 0 "$T/huge"
}

@test "an allocator that the program brings along is seen, its inner calls are not" {
	exact -own 0 "$T/own"
}

@test "the peak is exact and a realloc does not count twice in it" {
	exact -peak 0 "$T/peak"
}

@test "operators new and delete and exceptions are exact" {
	exact -peak 0 "$T/cxx"
	report '[.callgraph[].function] | any(contains("deep::grow<char>"))'
}

@test "allocations before main and after it are counted" {
	exact -peak 0 "$T/ctors"
}

@test "three thousand call sites are told apart by size" {
	exact -peak 0 "$T/manysites"
	report '[.direct[].function | select(startswith("site_"))] | length == 300'
	report '[.direct[] | select(.function == "site_7") | .calls] == [20]'
}

@test "a place that others return to all the time is exact and costs few stops" {
	needs_traps "it counts stops"
	exact 0 "$T/strays"
	whole
	run_stats=$("$MPROF" run --stats -o /dev/null --data=/dev/null -- "$T/strays" 2>&1 >/dev/null)
	# 5880 returns are none of malloc's; some are met before that is clear, or while one is pending.
	strays=$(sed -n 's/.* made itself, \([0-9]*\) behind.*/\1/p' <<<"$run_stats")
	[ "$strays" -gt 0 ] && [ "$strays" -lt 3000 ] || fail "strays: $strays" "$run_stats"
}

# ---- stacks ----

@test "mutual recursion is exact and one cycle" {
	exact -peak 0 "$T/recursion"
	whole
	report '[.callgraph[] | select(.function == "is_even" or .function == "is_odd") | .cycle]
		| length == 2 and .[0] != null and .[0] == .[1]'
	report '[.direct[] | select(.function == "is_even") | .bytes.l, .calls] == [105 * 1861, 105]'
	report '[.direct[] | select(.function == "is_odd") | .bytes.l, .kept.l] == [100 * 1867, 0]'
}

@test "a malloc that calls malloc, three thousand deep, is exact and costs the same at any depth" {
	exact -own 0 "$T/endless" 3000
	whole
	[ "${MPROF_ENGINE:-trap}" = trap ] || return 0 # what comes is about the unwinder of traps
	limited "$MPROF" run --stats -o /dev/null --data=/dev/null -- "$T/endless" 3000 2>err >out
	# 18000 calls within calls, two frames each: what a look at all of them would take is 54 million.
	known=$(sed -n 's/^mprof: unwinding: \([0-9]*\) steps remembered.*/\1/p' err)
	[ "$known" -gt 0 ] && [ "$known" -lt 100000 ] || fail "steps: $known" "$(cat err)"
	limited "$MPROF" run --stats --check-unwinding -o /dev/null --data=/dev/null -- "$T/endless" 300 2>err >out
	says err ' 18[0-9][0-9] chains checked, 0 wrong'
}

# Under a sanitizer a trap takes longer; what is looked for here is what grows with the square of the depth.
@test "a malloc that calls malloc without end ends as it does alone" {
	# beside the pads each call is looked for in the whole stack
	needs_traps "calls within calls take it the square of their depth"
	ulimit -s 2048
	status=0
	limited "$T/endless" >out0 2>err0 || status=$?
	[ "$status" != 0 ]
	mv ended ended0
	got=0
	limited "$MPROF" run --stats -o run.txt --data=run.data -- "$T/endless" >out 2>err || got=$?
	[ "$got" = "$status" ] || fail "status $got, not $status" "$(cat err)"
	diff ended0 ended
	cmp out0 out
	says err ' 0 allocations of 0 bytes, 0 frees'
	says err ' 0 events lost'
	nested=$(sed -n 's/^mprof: of the traps: \([0-9]*\) in calls the.*/\1/p' err)
	[ "$nested" -gt 10000 ] || fail "$nested calls within calls" "$(cat err)"
}

@test "ten thousand frames deep is exact and not cut" {
	exact -peak 0 "$T/deep" 10000
	whole
	report '[.leaks[] | select(.path[-1].function == "bottom")
		| .kept_bytes, .truncated, [.path[].function]]
		== [5 * 2713, true, ["down", "down", "down", "down", "bottom"]]'
	report '[.callgraph[] | select(.function == "down") | .total_bytes
		| if type == "object" then .s + .m + .l + .x else . end] == [5 * 2713 + 50 * 2719]'
}

@test "longjmp out of a call chain leaves no call pending" {
	exact -peak 0 "$T/jumps"
	whole
	[ "$(leak_path report.json main after_jump)" = $((60 * 3119)) ]
	[ "$(leak_path report.json main thrower)" = $((60 * 3109)) ]
}

@test "a malloc that is left by siglongjmp counts for nothing and hides nothing after it" {
	exact -own 0 "$T/abandon"
	[ "$(leak_path report.json main make)" = $((20 * 2207 + 20 * 2221)) ]
}

@test "an allocator that leaves by longjmp when a request is too large hides nothing after it" {
	exact -own 0 "$T/oom"
}

@test "depth-first calls are exact" {
	exact -peak 0 "$T/depthfirst"
	whole
}

@test "coroutines that allocate on stacks of their own are exact" {
	exact -peak 0 "$T/coroutines"
	report '[.leaks[] | select(.path[-1].function == "coroutine_leaf") | .path[-2].function]
		| unique == ["coroutine"]'
}

# ---- signals ----

@test "an allocation in a handler called by raise is exact" {
	exact -peak 0 "$T/handler" raise
	report '[.leaks[] | select(.path[-1].function == "handler_leaf")
		| .kept_bytes, .path[-2].function] == [25 * 3307, "handler"]'
}

@test "an allocation in a handler that comes when it likes is exact" {
	exact -peak 0 "$T/handler" alarm
}

@test "a thread that comes to block all signals while it allocates has SIGTRAP among them" {
	exact 0 "$T/maskwindows"
}

@test "a thread that blocks all signals but SIGTRAP, and handles that, gets its own traps" {
	exact 0 "$T/maskdoubts" open
}

@test "a thread that blocks all signals has SIGTRAP among them, also where it is single-stepped" {
	exact 0 "$T/maskdoubts" step
}

@test "a SIGTRAP handler that blocks all signals and allocates has SIGTRAP among them" {
	exact 0 "$T/maskdoubts" trap
}

@test "an allocation in a handler on an alternate stack is exact" {
	exact 0 "$T/handler" altstack
}

@test "siglongjmp out of a handler that interrupted malloc and free in a loop is exact" {
	exact -peak 0 "$T/sigjump"
}

@test "SIGALRM a thousand times a second reaches the program and disturbs no count" {
	exact -peak 0 "$T/storm" 5000
}

@test "a free that a signal pushes back counts once, whatever the handler frees before it" {
	exact -own 0 "$T/rewound"
}

@test "the program's own int3 and SIGTRAP reach its own handler" {
	exact -peak 0 "$T/traps"
}

@test "a program that stops itself stands still until it is continued" {
	exact -peak 0 "$T/stops"
}

# ---- threads ----

@test "8 threads, 20,000 pairs each, every free by another thread: exact" {
	LIMIT=$((LIMIT * 4)) exact 0 "$T/pairs" 20000
}

@test "threads that come and go are exact, and what libc frees at their end is no event" {
	exact 0 "$T/churn" 50
	report '.totals.unknown_frees == 0'
}

@test "a main thread that leaves by pthread_exit does not end the profile" {
	exact 6 "$T/mainexit"
}

# ---- modules and processes ----

@test "plugins that are loaded and unloaded are exact and keep their names" {
	exact -peak 0 "$T/plugins"
	report '[.leaks[] | select(.path[-1].function == "plug_a_leaf")
		| .kept_bytes, .path[-2].function, (.path[-1].module | split("/")[-1])]
		== [6 * 3 * 6007, "plug_make", "plug-a.so"]'
	report '[.leaks[] | select(.path[-1].function == "plug_b_leaf") | .kept_bytes] == [6 * 3 * 6011]'
}

@test "code that the program has copied into memory of its own is exact, whatever it loads afterwards" {
	exact 0 "$T/movedcode"
}

@test "a forked child runs on untouched and the parent's counts are its own" {
	exact -peak 0 "$T/forks"
}

@test "children by vfork, posix_spawn and system run on and are not counted" {
	exact -peak 0 "$T/spawns"
}

@test "forked children that are followed have exact profiles of their own" {
	"$MPROF" --help 2>&1 | grep -q trace-children || skip "this mprof does not follow children"
	BINS=bins limited "$MPROF" run --trace-children=yes -o run.txt --data=d.%p -- "$T/forks" 2>err ||
		fail "status $?" "$(cat err)"
	[ "$(grep -c '^child-unknown' bins)" = 3 ]
	grep '^child' bins | while read -r word pid size allocs frees; do
		limited "$MPROF" report --format=json "d.$pid" >c.json
		agrees c.json
		if [ "$word" = child ]; then
			jq -e ".bins[] | select(.size == $size) | .allocs == $allocs and .frees == $frees" c.json
		else
			jq -e ".totals.unknown_frees == $size" c.json
		fi
	done
}

@test "code that a program has written over where malloc returned to is left alone in a child that is followed" {
	exact 0 "$T/rewritten"
	BINS=both limited "$MPROF" run --trace-children=yes -o run.txt --data=d.%p -- "$T/rewritten" >out 2>err ||
		fail "status $?" "$(cat out err)"
	read -r _ pid size allocs frees < <(grep '^child ' both)
	limited "$MPROF" report --format=json "d.$pid" >c.json
	jq -e ".bins[] | select(.size == $size) | .allocs == $allocs and .frees == $frees" c.json
}

@test "a place that is single-stepped in one thread while another spawns children is exact" {
	exact -counted 0 "$T/stepspawn"
}

@test "a program that may not make system calls is not made to" {
	exact -peak 0 "$T/confined"
}

# ---- the end ----

@test "what was counted until a normal end is exact" {
	exact -peak 71 "$T/ends" return
	exact -peak 72 "$T/ends" exit
	exact -peak 73 "$T/ends" _exit
	exact -peak 74 "$T/ends" quick_exit
}

@test "what was counted until a fatal signal is exact" {
	exact -peak 134 "$T/ends" abort
	exact -peak 139 "$T/ends" segv
	exact -peak 143 "$T/ends" term
	exact -peak 133 "$T/ends" trap
	exact -peak 133 "$T/ends" int3
}

@test "what was counted until SIGKILL is exact" {
	exact -peak 137 "$T/ends" kill
}

# ---- what the program sees ----

@test "standard input and output go through unchanged" {
	head -c 300000 /dev/urandom >in
	exact -peak 0 "$T/copy"
	cmp in out
}

@test "arguments, environment, descriptors, signals, limits and processors are as without mprof" {
	trap '' USR2
	umask 027
	exec 9</dev/null
	BINS=bins limited "$T/mirror" seen0 "two words" '' '*' </dev/null >out0 2>err0 || [ $? = 37 ]
	mv seen0 alone
	BINS=bins limited "$MPROF" run -o run.txt --data=run.data -- \
		"$T/mirror" seen0 "two words" '' '*' </dev/null >out 2>err || [ $? = 37 ]
	diff alone seen0
	cmp out0 out
	[ -z "$(theirs err)" ]
}

@test "type names are those of the structures and unions of the bin's size" {
	exact -peak 0 "$T/types"
	local size types
	while read -r size types; do
		report ".bins[] | select(.size == $size) | .types == $types"
	done <<-EOT
		9101 ["tagged"]
		9103 ["unnamed_t"]
		9107 ["first_t","second_t"]
		9112 ["both"]
		9127 []
		9133 ["twin_a","twin_b"]
		9151 []
	EOT
}
