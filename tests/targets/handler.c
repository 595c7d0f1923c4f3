/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handler raise: a handler allocates, called by raise() between the allocations of main.
 * handler alarm: SIGALRM comes at any time, and its handler allocates while main does not.
 * handler altstack: as raise, in main and in a thread, on alternate stacks.
 */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

enum { TIMES = 50, MAIN = 3301, HANDLER = 3307 };

static void *kept[TIMES];
static volatile sig_atomic_t n;

static NOINLINE void handler_leaf(void)
{
	void *p = fill(malloc(HANDLER), HANDLER, 7);

	if (n < TIMES)
		kept[n++] = p;
	else
		free(p);
}

static void handler(int sig)
{
	(void)sig;
	if (n < TIMES)
		handler_leaf();
}

static NOINLINE void raise_between(int times)
{
	for (int i = 0; i < times; i++) {
		void *p = fill(malloc(MAIN), MAIN, i);

		MUST(!raise(SIGALRM));
		check(p, MAIN, i);
		free(p);
	}
}

static char stacks[2][65536];

static void use_stack(int i)
{
	stack_t ss = { .ss_sp = stacks[i], .ss_size = sizeof stacks[i] };

	MUST(!sigaltstack(&ss, NULL));
}

static void *work(void *arg)
{
	use_stack(1);
	raise_between(TIMES / 2);
	return arg;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "raise";
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	bool alarm = !strcmp(how, "alarm");

	MUST(!sigaction(SIGALRM, &sa, NULL));
	if (alarm) {
		struct itimerval t = { { 0, 2000 }, { 0, 2000 } };

		for (int i = 0; i < TIMES; i++)
			free(fill(malloc(MAIN), MAIN, i));
		MUST(!setitimer(ITIMER_REAL, &t, NULL));
		while (n < TIMES)
			pause();
		t = (struct itimerval){ 0 };
		MUST(!setitimer(ITIMER_REAL, &t, NULL));
	} else if (!strcmp(how, "altstack")) {
		pthread_t t;

		use_stack(0);
		raise_between(TIMES / 2);
		MUST(!pthread_create(&t, NULL, work, NULL) && !pthread_join(t, NULL));
	} else {
		raise_between(TIMES);
	}
	MUST(n == TIMES);
	for (int i = 0; i < TIMES; i++)
		check(kept[i], HANDLER, 7);
	for (int i = 0; i < TIMES; i += 2)
		free(kept[i]);
	bin(MAIN, TIMES, TIMES);
	bin(HANDLER, TIMES, TIMES / 2);
	say("handler: %d times\n", TIMES);
	return 0;
}
