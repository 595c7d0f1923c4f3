#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The ground truth itself: the programs under test are right about themselves, the counter agrees
# with them, and the comparisons of common.bash see a difference. mprof is not needed here.

bats_require_minimum_version 1.5.0
load ../lib/common

setup_file() {
	build_targets
}

# true_alone [-peak] STATUS PROGRAM [ARG...]: alone, then with the counter: the same output and end,
# and the counter's bins are those of the program.
true_alone() {
	local want=$1 status=0 in=/dev/null f
	shift
	[ ! -e in ] || in=in
	rm -f count.* bins
	limited "$@" >out0 2>err0 <$in || status=$?
	[ "$status" = "$want" ] || fail "alone: $status, not $want" "$(cat out0 err0)" || return 1
	status=0
	BINS=$D/bins with_counter "$1" "$@" >out 2>err <$in || status=$?
	[ "$status" = "$want" ] || fail "counted: $status, not $want" "$(cat out err)" || return 1
	cmp out0 out && cmp err0 err || return 1
	counts "$D/count"
	f=$(grep -L '"allocs":0,"alloc_bytes":0,"frees":0' count.*.0.json | sort -V | head -1)
	cp "$f" main.json || return 1
	nothing "$(truth_differences main.json bins)" "$*: the counter saw something else:" || return 1
	nothing "$(number_differences main.json main.json)" "$*: the counter is not sound:"
}

@test "every program under test agrees with the counter about what it did" {
	local failed=
	while read -r status program args; do
		# shellcheck disable=SC2086
		true_alone "$status" "$T/$program" $args || failed+=" $program"
	done <<-EOT
		0 aligned
		0 churn
		0 confined
		0 coroutines
		0 ctors
		0 cycle
		0 cxx
		0 deep
		0 depthfirst
		0 edges
		0 forks
		0 handler raise
		0 handler alarm
		0 handler altstack
		0 huge
		0 jumps
		6 mainexit
		0 manysites
		0 pairs
		0 peak
		0 plugins
		0 recursion
		0 resize
		0 sigjump
		0 spawns
		0 stops
		0 storm
		0 strays
		0 traps
		0 types
	EOT
	[ -z "$failed" ] || fail "wrong:$failed"
}

@test "programs with an allocator of their own run and are out of the counter's sight" {
	BINS=$D/bins with_counter "$T/own" "$T/own"
	BINS=$D/bins with_counter "$T/abandon" "$T/abandon"
	[ "$(grep -c '^bin ' bins)" -ge 10 ]
	run ! compgen -G 'count.*'
}

@test "the counter's record is complete whatever the end of the process" {
	local how status
	while read -r how status; do
		true_alone "$status" "$T/ends" "$how"
	done <<-EOT
		return 71
		exit 72
		_exit 73
		quick_exit 74
		abort 134
		kill 137
		term 143
		segv 139
		trap 133
		int3 133
	EOT
}

@test "the counter starts afresh in a forked child and knows what it inherited" {
	true_alone 0 "$T/forks"
	[ "$(ls count.*.0.json | wc -l)" = 4 ]
	grep '^child-unknown' bins | while read -r _ pid n; do
		[ "$(jq .totals.unknown_frees "count.$pid.0.json")" = "$n" ]
		[ "$(jq .inherited_frees "count.$pid.0.json")" = "$n" ]
	done
	grep '^child ' bins | while read -r _ pid size allocs frees; do
		jq -e ".bins[] | select(.size == $size) | .allocs == $allocs and .frees == $frees" \
			"count.$pid.0.json"
	done
	[ "$(grep -c '^child ' bins)" = 3 ]
}

@test "the counter records children made by vfork and posix_spawn apart from their parent" {
	true_alone 0 "$T/spawns"
	[ "$(grep -c '^child ' bins)" = 8 ]
	grep '^child ' bins | while read -r _ pid size allocs frees; do
		jq -e ".bins[] | select(.size == $size) | .allocs == $allocs and .frees == $frees" \
			"count.$pid.0.json"
	done
}

@test "the counter leaves every other program alone" {
	with_counter "$T/edges" "$T/resize"
	run ! compgen -G 'count.*'
	with_counter "$T/edges" sh -c '"$0"; :' "$T/edges"
	[ "$(ls count.* | wc -l)" = 1 ]
}

@test "the counter sees the widgets of the paper" {
	with_counter "$T/widgets" "$T/widgets"
	counts "$D/count"
	jq -e '.bins == [{size: 204, allocs: 10000, bytes: 2040000, frees: 4981, kept_bytes: 1023876}]' \
		count.*.json
}

@test "standard input reaches the copy unchanged" {
	head -c 100000 /dev/urandom >in
	true_alone 0 "$T/copy"
	cmp in out
}

@test "the mirror sees the same when it is started twice" {
	limited "$T/mirror" a one two || [ $? = 37 ]
	limited "$T/mirror" a one two || [ $? = 37 ]
	cp a b
	limited "$T/mirror" a one two || [ $? = 37 ]
	cmp a b
	limited "$T/mirror" a one other || [ $? = 37 ]
	run ! cmp a b
}

@test "the comparisons notice one byte, one call and one missing bin" {
	true_alone 0 "$T/resize"
	[ -z "$(number_differences main.json main.json peak)" ]
	jq '.totals.free_bytes += 1' main.json >x.json
	[ "$(number_differences x.json main.json | wc -l)" = 1 ]
	jq '.totals.peak_bytes += 1' main.json >x.json
	[ -z "$(number_differences x.json main.json)" ]
	[ "$(number_differences x.json main.json peak | wc -l)" = 1 ]
	jq '.bins[3].frees -= 1' main.json >x.json
	[ "$(number_differences x.json main.json | wc -l)" = 1 ]
	[ "$(truth_differences x.json bins | wc -l)" = 1 ]
	jq 'del(.bins[2])' main.json >x.json
	[ -n "$(number_differences x.json main.json)" ]
	[ -n "$(number_differences main.json x.json)" ]
	[ "$(truth_differences x.json bins | wc -l)" = 1 ]
	jq '.bins += [.bins[2]]' main.json >x.json
	[ "$(number_differences x.json main.json)" = "a size has two bins" ]
	jq '.totals.failed_allocs += 1' main.json >x.json
	[ "$(truth_differences x.json bins | wc -l)" = 1 ]
}

@test "code that is unloaded while a program's code is compared is no difference" {
	local pid i
	cp "$T/plug-a.so" one.so
	cp "$T/plug-a.so" two.so
	mkfifo in
	exec 7<>in
	limited "$T/modules" "$D/one.so" "$D/two.so" <in >out 2>err 3>&- &
	for i in {1..600}; do
		[ ! -s out ] || break
		sleep 0.1
	done
	pid=$(sed -n 's/^ready //p' out)
	for i in {1..300}; do
		"$T/textdiff" "$pid" >diff || fail "round $i" "$(cat diff)"
	done
	echo quit >&7
	wait $!
	grep -qx 'checksum right' out
}

@test "a process left behind is found" {
	mkfifo open
	exec 7<>open # somebody could still write
	limited "$T/copy" <&7 >/dev/null 3>&- &
	for _ in {1..100}; do
		[ -z "$(marked)" ] || break
		sleep 0.1
	done
	run no_strays
	[ "$status" = 1 ]
	# Who has been killed may still have to be told by the scheduler.
	no_strays
}
