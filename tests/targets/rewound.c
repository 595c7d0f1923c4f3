/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A handler that frees, blocks and NULL, while the program does: a free that is interrupted at its
 * first instruction begins again after those of the handler.
 */
#include "bump.h"

#include <signal.h>
#include <sys/time.h>

enum { PAIRS = 3000, POOL = 2000, SIZE = 3313, POOLED = 3319 };

static void *pool[POOL];
static volatile int pooled;

static void handler(int sig)
{
	(void)sig;
	if (pooled)
		free(pool[--pooled]);
	else
		free(NULL);
}

static void ring_every(int microseconds)
{
	struct itimerval t = { { 0, microseconds }, { 0, microseconds } };

	MUST(!setitimer(ITIMER_REAL, &t, NULL));
}

int main(void)
{
	struct sigaction sa = { .sa_handler = handler };
	sigset_t alarm;

	for (int i = 0; i < POOL; i++)
		pool[i] = malloc(POOLED);
	pooled = POOL;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	MUST(!sigaction(SIGALRM, &sa, NULL));
	ring_every(500);
	for (int i = 0; i < PAIRS; i++) {
		sigprocmask(SIG_BLOCK, &alarm, NULL);
		void *p = malloc(SIZE);
		sigprocmask(SIG_UNBLOCK, &alarm, NULL);
		free(p);
	}
	ring_every(0);
	while (pooled)
		free(pool[--pooled]);
	bin(SIZE, PAIRS, PAIRS);
	bin(POOLED, POOL, POOL);
	truth("unknown 0\n");
	say("rewound: done\n");
	return 0;
}
