/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An allocator that leaves by longjmp when a request is too large. The next request comes from
 * further down the stack, below an array that was never written to: the return address of the
 * abandoned call is still there.
 */
#include "bump.h"

#include <setjmp.h>

enum { TIMES = 50, LOST = 3301, SIZE = 3307 };

static jmp_buf home;

static void give_up(void)
{
	bump_hook = NULL;
	longjmp(home, 1);
}

static NOINLINE void ask_too_much(void)
{
	bump_hook = give_up;
	(void)malloc(LOST);
	STAY();
}

static NOINLINE void *from_further_down(void)
{
	char unwritten[512];

	__asm__ volatile("" ::"r"(unwritten));
	void *p = malloc(SIZE);
	STAY();
	return p;
}

int main(void)
{
	for (volatile int i = 0; i < TIMES; i++) {
		if (!setjmp(home))
			ask_too_much();
		free(from_further_down());
	}
	bin(LOST, 0, 0);
	bin(SIZE, TIMES, TIMES);
	say("oom: done\n");
	return 0;
}
