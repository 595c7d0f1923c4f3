/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool that announces its blocks by Valgrind's client requests, as programs built with valgrind.h
 * contain them (the instructions are those of its __SPECIAL_INSTRUCTION_PREAMBLE for amd64). When
 * it asks whether it runs on Valgrind, it must get the same answer as without mprof.
 */
#include <stdint.h>

static uint64_t request(uint64_t what, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	volatile uint64_t words[6] = { what, a, b, c, d, 0 };
	uint64_t answer = 4711;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "=d"(answer)
			 : "a"(words), "0"(answer)
			 : "cc", "memory");
	return answer;
}

#define ANNOUNCE(p, n) MUST(request(0x1301, (uintptr_t)(p), n, 16, 0) == 4711)
#define RESIZED(p, old, n) MUST(request(0x130b, (uintptr_t)(p), old, n, 16) == 4711)
#define GONE(p)                                                                                    \
	do {                                                                                       \
		MUST(request(0x1001, 0, 0, 0, 0) == 4711); /* RUNNING_ON_VALGRIND */               \
		MUST(request(0x1302, (uintptr_t)(p), 16, 0, 0) == 4711);                           \
	} while (0)
#include "announce.h"
