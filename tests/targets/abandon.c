/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of malloc that never return: a signal handler leaves them by siglongjmp. They allocated
 * nothing; what is allocated afterwards, from the same, a higher and a deeper frame, must count
 * although the abandoned call is still pending.
 */
#include "bump.h"

#include <setjmp.h>
#include <signal.h>

enum { TIMES = 20, LOST = 2203, SAME = 2207, DEEPER = 2213, HIGHER = 2221 };

static sigjmp_buf home;
static volatile int not_reached;

static void handler(int sig)
{
	(void)sig;
	siglongjmp(home, 1);
}

static void interrupt(void)
{
	raise(SIGUSR1);
}

static NOINLINE void make(size_t n)
{
	fill(malloc(n), n, 1);
}

static NOINLINE void make_deeper(int levels)
{
	char room[512];

	fill(room, sizeof room, levels); /* over what the abandoned call left on the stack */
	if (levels)
		make_deeper(levels - 1);
	else
		make(DEEPER);
	check(room, sizeof room, levels);
}

static NOINLINE void lose_deep(int levels)
{
	if (levels) {
		lose_deep(levels - 1);
		STAY();
		return;
	}
	bump_hook = interrupt;
	make(LOST);
	not_reached = 1;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = handler };

	MUST(!sigaction(SIGUSR1, &sa, NULL));
	for (volatile int i = 0; i < TIMES; i++) {
		if (!sigsetjmp(home, 1))
			lose_deep(0);
		bump_hook = NULL;
		make(SAME);
		if (!sigsetjmp(home, 1))
			lose_deep(0);
		bump_hook = NULL;
		make_deeper(8);
		if (!sigsetjmp(home, 1))
			lose_deep(9);
		bump_hook = NULL;
		make(HIGHER);
	}
	MUST(!not_reached);
	bin(LOST, 0, 0);
	bin(SAME, TIMES, 0);
	bin(DEEPER, TIMES, 0);
	bin(HIGHER, TIMES, 0);
	say("abandon: done\n");
	return 0;
}
