#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What the build refuses of the agent, which has to run inside of any program. mprof is not needed here.

bats_require_minimum_version 1.5.0
load ../lib/common

setup_file() {
	:
}

# blob LINE...: an agent of these lines of C
blob() {
	{
		echo 'int begin(int a) { volatile int b = a; for (int i = 1; i < 9; i++) b = b * a + i; return b; }'
		printf '%s\n' "$@"
	} >agent.c
	gcc -O2 -ffreestanding -fPIE -fvisibility=hidden -fno-stack-protector -fcf-protection=none -c agent.c &&
		ld -pie --no-dynamic-linker -e 0 -T "$ROOT/src/agent/blob.ld" -o agent.elf agent.o &&
		"$ROOT/src/agent/check-blob" agent.elf
}

# refused REASON LINE...
refused() {
	local reason=$1
	shift
	run blob "$@"
	[ "$status" != 0 ] || fail "it was taken" || return 1
	[[ $output == *"$reason"* ]] || fail "not for this reason:" "$output"
}

@test "an agent that keeps the rules is taken" {
	run blob 'int end(int a) { return a + 1; }'
	[ "$status" = 0 ] || fail "refused:" "$output"
}

@test "an agent with an address that must be relocated is refused" {
	refused relocations 'int x(void) { return 1; } int (*const table[2])(void) __attribute__((section(".rodata"))) = { x, x };'
}

@test "an agent that calls what it does not have is refused" {
	refused 'memcpy' 'void *memcpy(void *, const void *, unsigned long); void f(void *a, void *b) { memcpy(a, b, 1000); }'
}

@test "an agent with variables of its own is refused" {
	refused 'shared memory' 'int counter; int f(void) { return ++counter; }'
}

@test "an agent that uses vector registers is refused" {
	refused 'vector registers' 'double f(double a, double b) { return a * b; }'
}

@test "an agent that uses thread-local storage is refused" {
	refused 'thread-local storage' 'long f(void) { long v; __asm__ volatile("mov %%fs:0, %0" : "=r"(v)); return v; }'
}

@test "an agent that makes a system call is refused" {
	refused 'system calls' 'void f(void) { __asm__ volatile("syscall"); }'
	refused 'system calls' 'void f(void) { __asm__ volatile("int $0x80"); }'
}

@test "an agent that has a trap instruction is refused" {
	refused traps 'void f(void) { __asm__ volatile("int3"); }'
	refused traps 'void f(void) { __builtin_trap(); }'
}
