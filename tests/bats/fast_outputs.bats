#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Both engines write the same, but for times: every output, of programs of all kinds. They have one thread: the order
# of several threads' events is another in each run.

bats_require_minimum_version 1.5.0
load ../lib/common

# recorded ENGINE COMMAND...: all outputs of it in the directory ENGINE
recorded() {
	local engine=$1
	shift
	rm -rf "$engine" "$engine.timeless"
	mkdir "$engine"
	(
		cd "$engine" || exit
		limited "$MPROF" run --engine="$engine" --data=data -o report --verbose --offsets --autosave=400 \
			--massif-out-file=massif --time-unit=B --stacks=yes --heap-profile=heap \
			--heap-profile-allocation-interval="${INTERVAL:-100000}" --mma-log-file=log --mma-stats-file=stats -- "$@" \
			>out 2>err </dev/null || fail "$engine: $*" "$(tail -n 20 err)" || exit
		limited "$MPROF" report --format=json data >json
	)
}

# What is said of it, without numbers of processes, times, and what is about the engines
said() {
	sed -E 's/process [0-9]+/process N/g; s/, [0-9.]+ s after the start//; s/[0-9]+ .?B allocated cumulatively/N/
		/names from|engine|watched by traps|time is told/d' "$1/err"
}

# same COMMAND...: by both engines
same() {
	local file
	recorded trap "$@" && recorded fast "$@" || return 1
	diff <(ls trap) <(ls fast) || fail "other files: $*" || return 1
	diff trap/out fast/out || fail "another output: $*" || return 1
	diff <(said trap) <(said fast) || fail "something else is said: $*" || return 1
	"$ROOT/tests/lib/timeless.py" trap fast || return 1
	for file in report json data massif log stats trap/heap.*; do
		file=${file#trap/}
		[ -s "trap.timeless/$file" ] && diff {trap,fast}.timeless/"$file" >differ || fail "$file differs: $*" "$(head -n 20 differ)" || return 1
	done
	[ "$(jq .totals.allocs fast/json)" -gt 0 ]
}

@test "every output of a program's is the same by both engines but for times: recursion" {
	same "$T/recursion"
}

@test "every output of a program's is the same by both engines but for times: all functions of the C library" {
	same "$T/resized"
	same "$T/account"
}

@test "every output of a program's is the same by both engines but for times: linked statically, and with musl" {
	local how
	for how in 'gcc -static' 'gcc -static-pie' musl-gcc 'musl-gcc -static'; do
		$how -O1 -g -fno-builtin -D_GNU_SOURCE -I"$ROOT/tests/targets" -o peak "$ROOT/tests/targets/peak.c"
		same "$D/peak"
		$how -O1 -g -fno-builtin -D_GNU_SOURCE -o resized "$ROOT/tests/targets/resized.c"
		same "$D/resized"
	done
}

@test "every output of a program's is the same by both engines but for times: C++" {
	same "$T/cxx"
	same "$T/newforms"
	same "$T/shapes"
}

@test "every output of a program's is the same by both engines but for times: allocators of programs and libraries" {
	same "$T/own"
	same "$T/jemallocx"
	same "$T/mimallocs"
	same "$T/tcmallocs"
}

@test "every output of a program's is the same by both engines but for times: constructors, deep stacks, jumps" {
	same "$T/ctors"
	same "$T/stackdepth"
	same "$T/jumps"
}

@test "every output of a program's is the same by both engines but for times: an interpreter" {
	export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0 INTERVAL=4000000
	# shellcheck disable=SC2016
	same perl -e 'my %h; $h{$_ % 97} .= "x" x $_ for 1..3000; print scalar(keys %h), "\n"'
}

# Whoever is to map code stands at a system call of its own then, more often than not.
@test "a program that stops at its system calls is observed without a trap, each time" {
	local i
	for ((i = 0; i < 8; i++)); do
		limited "$MPROF" run --engine=fast --heap-profile-mmap-log=yes --heap-profile=heap -o report --data=data \
			-- "$T/heapmap" >out 2>err </dev/null || fail "run $i" "$(cat err)"
		grep -q '^sbrk(inc=50000) = ' err
		limited "$MPROF" report --format=json data >json
		[ "$(jq .totals.allocs json)" = 40 ]
	done
}
