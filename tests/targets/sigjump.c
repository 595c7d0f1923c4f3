/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timer's handler leaves a loop of malloc and free by siglongjmp, at any point of the loop except
 * within the two calls, where POSIX forbids it and libc's heap would be left broken.
 */
#include "target.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { JUMPS = 25, SIZE = 3407 };

static sigjmp_buf home;
static volatile sig_atomic_t fragile, running;
static volatile long allocs, frees, jumps;

static void handler(int sig)
{
	(void)sig;
	if (running && !fragile) {
		jumps++;
		siglongjmp(home, 1);
	}
}

static NOINLINE void think(void)
{
	for (volatile int i = 0; i < 20000; i++)
		;
}

static NOINLINE void pairs(void)
{
	for (;;) {
		fragile = 1;
		void *p = fill(malloc(SIZE), SIZE, 5);
		allocs++;
		fragile = 0;
		think();
		fragile = 1;
		check(p, SIZE, 5);
		free(p);
		frees++;
		fragile = 0;
		think();
	}
}

int main(void)
{
	struct sigaction sa = { .sa_handler = handler };
	struct itimerval t = { { 0, 1000 }, { 0, 1000 } };

	MUST(!sigaction(SIGALRM, &sa, NULL));
	MUST(!setitimer(ITIMER_REAL, &t, NULL));
	sigsetjmp(home, 1);
	running = 1;
	if (jumps < JUMPS)
		pairs();
	running = 0;
	t = (struct itimerval){ 0 };
	MUST(!setitimer(ITIMER_REAL, &t, NULL));
	bin(SIZE, allocs, frees);
	say("sigjump: landed\n");
	return 0;
}
