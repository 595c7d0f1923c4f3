/* SPDX-License-Identifier: BSD-2-Clause */
/* longjmp out of a call chain whose every function has allocated; then other chains allocate. */
#include "target.h"

#include <setjmp.h>

enum { TIMES = 60, DEPTH = 6, IN = 3109, AFTER = 3119 };

static jmp_buf home;
static void *got[DEPTH];
static void *left[TIMES];

static volatile int really = 1; /* for a compiler that looks for recursion without end */

static NOINLINE void thrower(int n)
{
	got[n] = fill(malloc(IN), IN, n);
	if (n < DEPTH - 1) {
		thrower(n + 1);
		STAY();
		return;
	}
	if (really)
		longjmp(home, 1);
}

static NOINLINE void after_jump(int i)
{
	left[i] = fill(malloc(AFTER), AFTER, i);
}

int main(void)
{
	for (volatile int i = 0; i < TIMES; i++) {
		if (!setjmp(home))
			thrower(0);
		after_jump(i);
		for (int k = 1; k < DEPTH; k++) {
			check(got[k], IN, k);
			free(got[k]);
		}
	}
	bin(IN, TIMES * DEPTH, TIMES * (DEPTH - 1));
	bin(AFTER, TIMES, 0);
	say("jumps: landed\n");
	return 0;
}
