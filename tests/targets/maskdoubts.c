/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * maskdoubts open: blocks every signal but SIGTRAP, which it handles, and runs into traps of its
 * own. maskdoubts step: blocks every signal, and calls malloc where the instruction behind the call
 * is single-stepped. maskdoubts trap: after many allocations, its SIGTRAP handler, which blocks
 * every signal, allocates. Each checks its signal mask.
 */
#include "stepped.h"

#include <signal.h>

enum { TIMES = 300, SIZE = 313 };

static volatile sig_atomic_t trapped, seen_open;

static bool is_blocked(void)
{
	sigset_t now;

	MUST(!sigprocmask(SIG_BLOCK, NULL, &now));
	return sigismember(&now, SIGTRAP);
}

static void pair(void)
{
	free(fill(malloc(SIZE), SIZE, 1));
}

static void count(int sig)
{
	(void)sig;
	trapped++;
}

static void allocate(int sig)
{
	(void)sig;
	pair();
	seen_open += !is_blocked();
	trapped++;
}

static void handle(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigfillset(&sa.sa_mask);
	MUST(!sigaction(SIGTRAP, &sa, NULL));
}

static void open_mask(void)
{
	sigset_t all;

	handle(count);
	sigfillset(&all);
	sigdelset(&all, SIGTRAP);
	MUST(!sigprocmask(SIG_SETMASK, &all, NULL));
	for (int i = 0; i < TIMES; i++) {
		pair();
		__asm__ volatile("int3");
		MUST(!is_blocked());
	}
	MUST(trapped == TIMES);
	bin(SIZE, TIMES, TIMES);
}

static void step(void)
{
	sigset_t all;

	sigfillset(&all);
	MUST(!sigprocmask(SIG_SETMASK, &all, NULL));
	for (int i = 0; i < TIMES; i++) {
		void *p = stepped(SIZE);

		MUST(is_blocked());
		free(p);
	}
	bin(SIZE, TIMES, TIMES);
}

static void trap(void)
{
	for (int i = 0; i < TIMES; i++)
		pair();
	handle(allocate);
	__asm__ volatile("int3");
	MUST(trapped == 1 && !seen_open && !is_blocked());
	bin(SIZE, TIMES + 1, TIMES + 1);
}

int main(int argc, char **argv)
{
	MUST(argc == 2);
	if (!strcmp(argv[1], "open"))
		open_mask();
	else if (!strcmp(argv[1], "step"))
		step();
	else
		trap();
	say("maskdoubts: done\n");
	return 0;
}
