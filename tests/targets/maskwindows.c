/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * maskwindows: allocates for a while, and then blocks all signals around two allocations, again and
 * again. Only a tracer can take SIGTRAP out of such a mask. It may do so during the first two of
 * these, until it has seen what the program does, and never after.
 */
#include "target.h"

#include <signal.h>

enum { BEFORE = 1000, WINDOWS = 200, SIZE = 311 };

static void pair(int i)
{
	free(fill(malloc(SIZE), SIZE, i));
}

/* False: SIGTRAP has come out of the mask meanwhile. */
static bool stays_blocked(int i)
{
	sigset_t all, was, now;

	sigfillset(&all);
	MUST(!sigprocmask(SIG_BLOCK, &all, &was));
	pair(i);
	pair(i);
	MUST(!sigprocmask(SIG_SETMASK, &was, &now));
	return sigismember(&now, SIGTRAP);
}

int main(void)
{
	int open[2] = { 0 };

	for (int i = 0; i < BEFORE; i++)
		pair(i);
	for (int i = 0; i < WINDOWS; i++)
		open[i >= WINDOWS / 2] += !stays_blocked(i);
	MUST(open[0] <= 2);
	MUST(!open[1]);
	bin(SIZE, BEFORE + 2 * WINDOWS, BEFORE + 2 * WINDOWS);
	say("maskwindows: done\n");
	return 0;
}
