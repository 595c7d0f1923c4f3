#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Whole chains through functions whose frames are described elsewhere, or not at all.

bats_require_minimum_version 1.5.0
load ../lib/common

# What tests/targets/frames.c calls, of its own functions: size, how often, chain.
truth() {
	local seven=' > deeper > deeper > deeper > deeper > deeper > deeper > deeper'
	cat <<-EOT
		7001 5 main > deeper > keep
		7001 5 main > deeper$seven > keep
		7019 1 main > sort > compare > deeper > deeper > keep
		7027 1 main > interrupt > handle > deeper > keep
	EOT
}

# build COMPILER FLAG...: ./frames
build() {
	"$1" -std=gnu17 -D_GNU_SOURCE -fno-builtin -fno-optimize-sibling-calls -I"$ROOT/tests/targets" "${@:2}" \
		-o frames "$ROOT/tests/targets/frames.c"
}

# The same of run.data, by the tree of call sites; a chain that is not whole begins with "... > ".
chains() {
	sqlite3 -separator ' ' run.data "
		WITH RECURSIVE up(leaf, size, allocs, node, path) AS (
			SELECT rowid, size, allocs, node, '' FROM leaves WHERE size BETWEEN 7001 AND 7027
			UNION ALL
			SELECT leaf, size, allocs, parent, iif(f.name IN ('main', 'deeper', 'keep', 'sort', 'compare', 'interrupt', 'handle', 'twice'),
				' > ' || f.name, '') || up.path
			FROM up JOIN nodes n ON n.id = node JOIN sites s ON s.id = site
				JOIN functions f ON f.id = function)
		SELECT size, sum(allocs), iif(node = 0, substr(path, 4), '...' || path) FROM up WHERE node < 2
		GROUP BY 1, 3" | sort
}

# run_frames: its chains are as they should be, and no step was remembered wrongly
run_frames() {
	limited "$MPROF" run --check-unwinding --stats -o run.txt --data=run.data -- ./frames 2>err || fail "$(cat err)"
	limited "$MPROF" report --format=json run.data >report.json
	agrees report.json || return 1
	says err ' 0 wrong$'
	says err ' [1-9][0-9]* steps remembered'
	diff <(chains) <(truth | sort)
}

guessed() {
	jq -e ".totals | .guessed_chains $1" report.json
}

@test "a static program has no index of its frames' descriptions: one is made" {
	build gcc -O1 -g -static
	run ! grep -q GNU_EH_FRAME <<<"$(readelf -lW frames)"
	run_frames
	guessed '== 0 and .truncated_chains == 0'
	run ! grep -q guess err
}

@test "a header without an index" {
	build gcc -O1 -g
	run_frames
	# version 1, and the encodings of the pointer, the count and the index
	python3 - <<-'EOT'
		data = open("frames", "rb").read()
		at = data.find(b"\x01\x1b\x03\x3b")
		assert at > 0 and data.find(b"\x01\x1b\x03\x3b", at + 1) < 0
		open("frames", "wb").write(data[:at] + b"\x01\x1b\xff\xff" + data[at + 4:])
	EOT
	run_frames
	guessed '== 0 and .truncated_chains == 0'
}

@test "frames that only .debug_frame describes" {
	for flags in -g '-g -gz' '-gdwarf-4 -no-pie'; do
		# shellcheck disable=SC2086
		build gcc -O1 $flags -fno-asynchronous-unwind-tables -fno-unwind-tables
		grep -q '\.debug_frame' <<<"$(readelf -SW frames)"
		run_frames
		guessed '== 0 and .truncated_chains == 0'
	done
}

@test "frames that nothing describes are followed by their frame pointers, and that is said" {
	for compiler in gcc clang; do
		build $compiler -O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
		run_frames
		guessed '== 12 and .truncated_chains == 0'
		says err ': 12 chains were followed by frame pointers'
		jq -e '[.leaks[].path[] | select(.function == "keep") | .guessed] | unique == [false]' report.json
		jq -e '[.leaks[].path[] | select(.function == "deeper") | .guessed] | unique == [true]' report.json
		# what it was called by, raise() knows
		[ "$(sqlite3 run.data "select distinct guessed from sites join functions on functions.id = function
			where name = 'interrupt'")" = 0 ]
		limited "$MPROF" report run.data 2>err
		says err ': 12 chains were followed by frame pointers'
	done
}

@test "code that neither describes its frames nor keeps a pointer to them ends a chain, as truncated" {
	build gcc -O1 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
	limited "$MPROF" run --check-unwinding --stats -o run.txt --data=run.data -- ./frames 2>err
	limited "$MPROF" report --format=json run.data >report.json
	guessed '== 0 and .truncated_chains == 12 and .truncated_no_cfi == 12'
	says err 'truncated for want of call frame information \(12\)'
	[ "$(chains | cut -d' ' -f3- | sort -u)" = '... > keep' ]
}

@test "generated code with frame pointers is passed on the way to main" {
	limited "$MPROF" run --check-unwinding --stats -o run.txt --data=run.data -- "$T/jit" 2>err
	rm -f "/tmp/perf-$(sqlite3 run.data "select value from meta where key = 'pid'").map"
	says err ' 0 wrong$'
	limited "$MPROF" report --format=json run.data >report.json
	jq -e '[.leaks[].path | map([.function, .guessed]) | select(.[-1][0] | startswith("LazyCompile"))]
		== [[["main", true], ["LazyCompile:~jitted game.js:3", false]]]' report.json
}

@test "a call instruction that a trap stands on is one all the same" {
	# malloc returns to where twice() is called
	cat >calls.c <<-'EOT'
		#include <stdlib.h>
		__attribute__((noinline)) static void *twice(void)
		{
			void *p = malloc(7001);
			__asm__ volatile("" ::: "memory");
			return p;
		}
		int main(void)
		{
			for (int i = 0; i < 3; i++) {
				void *(*volatile f)(void) = twice;
				__asm__ volatile("mov $7001, %%edi\n\tcall malloc@plt\n\tcall *%0" : : "b"(f) : "rax", "rcx", "rdx", "rsi", "rdi",
					"r8", "r9", "r10", "r11", "memory", "cc");
			}
			return 0;
		}
	EOT
	gcc -O1 -fno-builtin -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-asynchronous-unwind-tables \
		-o frames calls.c
	limited "$MPROF" run --check-unwinding --stats -o run.txt --data=run.data -- ./frames 2>err
	says err ' 0 wrong$'
	diff <(chains) - <<<$'7001 3 main\n7001 3 main > twice'
}

@test "where code changes to another stack and does not describe it a chain ends, with no garbage in it" {
	# as the runtime of Go does to call C
	cat >stacks.c <<-'EOT'
		#include <stdint.h>
		#include <stdlib.h>
		#include <string.h>
		static uint64_t other[1024] __attribute__((aligned(16)));
		__attribute__((noinline)) static void keep(void)
		{
			void *volatile p = malloc(7001);
			(void)p;
			__asm__ volatile("" ::: "memory");
		}
		void elsewhere(void (*f)(void), void *stack);
		__asm__(".text\n"
			".globl elsewhere\n"
			".type elsewhere, @function\n"
			"elsewhere:\n"
			"	.cfi_startproc\n"
			"	push %rbx\n"
			"	.cfi_def_cfa_offset 16\n"
			"	.cfi_offset %rbx, -16\n"
			"	mov %rsp, %rbx\n"
			"	mov %rsi, %rsp\n"
			"	call *%rdi\n"
			"	mov %rbx, %rsp\n"
			"	pop %rbx\n"
			"	ret\n"
			"	.cfi_endproc\n"
			".size elsewhere, . - elsewhere\n");
		int main(void)
		{
			for (int i = 0; i < 3; i++) {
				memset(other, "\x41\x00\xff"[i], sizeof other);
				/* an address that is no code's, or none at all */
				other[1001] = i ? other[0] : (uintptr_t)other;
				elsewhere(keep, &other[1000]);
			}
			return 0;
		}
	EOT
	gcc -O1 -g -fno-builtin -fno-optimize-sibling-calls -o frames stacks.c
	local engine
	for engine in trap fast; do
		limited "$MPROF" run --engine=$engine --check-unwinding --stats -o run.txt --data=run.data -- ./frames 2>err
		says err ' 0 wrong$'
		limited "$MPROF" report --format=folded run.data >folded 2>err
		# a 0 there would be the end of any chain; what was 0 once may be another word later
		diff <(grep -v '^main' folded) - <<<'elsewhere;keep 21003'
		limited "$MPROF" report --format=json run.data >report.json
		guessed '== 0 and .truncated_no_cfi == 2'
	done
}
