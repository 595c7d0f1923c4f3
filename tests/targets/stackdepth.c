/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocates in main and at the bottom of a recursion, in its first thread and in another, and on an
 * alternate stack; prints how much deeper the stack was. Sizes tell the requests apart.
 */
#include "target.h"

#include <pthread.h>
#include <signal.h>

enum { LEVELS = 50, BUFFER = 1000 };

static uintptr_t deepest;

#define STACK_POINTER() \
	__extension__({ \
		uintptr_t sp_; \
		__asm__ volatile("mov %%rsp, %0" : "=r"(sp_)); \
		sp_; \
	})

static NOINLINE void descend(int n, size_t size)
{
	volatile char buffer[BUFFER];

	buffer[0] = (char)n;
	if (n) {
		descend(n - 1, size);
	} else {
		void *volatile p = malloc(size);

		deepest = STACK_POINTER();
		free(p);
	}
	buffer[1] = 0;
}

static NOINLINE long down_from_here(size_t above, size_t below)
{
	void *volatile p = malloc(above);
	uintptr_t here = STACK_POINTER();

	descend(LEVELS, below);
	free(p);
	return (long)(here - deepest);
}

static long in_thread;
static volatile pid_t thread_tid;

static void *thread(void *arg)
{
	thread_tid = gettid();
	in_thread = down_from_here(301, 307);
	return arg;
}

static void handler(int sig)
{
	(void)sig;
	void *volatile p = malloc(401);
	free(p);
}

int main(void)
{
	static char other[64 << 10];
	stack_t on_it = { .ss_sp = other, .ss_size = sizeof other };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	pthread_t t;
	long in_main = down_from_here(101, 107);

	MUST(!pthread_create(&t, NULL, thread, NULL) && !pthread_join(t, NULL));
	/* Who joins a thread may go on while the kernel still takes it down, with its stack. */
	while (!tgkill(getpid(), thread_tid, 0))
		usleep(100);
	sigaltstack(&on_it, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	say("main %ld\nthread %ld\n", in_main, in_thread);
	return 0;
}
