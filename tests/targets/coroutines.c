/* SPDX-License-Identifier: BSD-2-Clause */
/* Two coroutines that allocate on stacks of their own, and free each other's blocks. */
#include "target.h"

#include <ucontext.h>

enum { TIMES = 60, SIZE0 = 3803, SIZE1 = 3821 };

static ucontext_t home, co[2];
static char stacks[2][65536];
static void *box[2];
static long left, frees[2];

static NOINLINE void *coroutine_leaf(int me)
{
	size_t n = me ? SIZE1 : SIZE0;
	void *p = fill(malloc(n), n, me);

	STAY();
	return p;
}

static void coroutine(int me)
{
	for (int i = 0; i < TIMES; i++) {
		box[me] = coroutine_leaf(me);
		MUST(!swapcontext(&co[me], &co[!me]));
		if (box[!me]) {
			check(box[!me], me ? SIZE0 : SIZE1, !me);
			free(box[!me]);
			frees[!me]++;
			box[!me] = NULL;
		}
	}
	left++;
	if (left == 2)
		MUST(!setcontext(&home));
	MUST(!swapcontext(&co[me], &co[!me]));
}

static void prepare(int i)
{
	MUST(!getcontext(&co[i]));
	co[i].uc_stack.ss_sp = stacks[i];
	co[i].uc_stack.ss_size = sizeof stacks[i];
	co[i].uc_link = &home;
	makecontext(&co[i], (void (*)(void))coroutine, 1, i);
}

int main(void)
{
	prepare(0);
	prepare(1);
	MUST(!swapcontext(&home, &co[0]));
	MUST(left == 2);
	bin(SIZE0, TIMES, frees[0]);
	bin(SIZE1, TIMES, frees[1]);
	say("coroutines: home\n");
	return 0;
}
