/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints of the program's own, without end and in two threads: int3, raise and kill of SIGTRAP
 * each reach the handler once, with the right si_code and program counter.
 */
#include "live.h"

#include <signal.h>
#include <ucontext.h>

enum { THREADS = 2, SIZE = 3517 };

static atomic_ulong planted, raised, done, wrong;
static atomic_bool over;
static __thread char *volatile expected;
static __thread volatile unsigned long mine;

static void handler(int sig, siginfo_t *si, void *uc)
{
	char *pc = (char *)((ucontext_t *)uc)->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	if (si->si_code == SI_KERNEL) {
		planted++;
		if (pc != expected)
			wrong++;
	} else if (si->si_code == SI_TKILL && si->si_pid == getpid()) {
		raised++;
	} else {
		wrong++;
	}
	mine++;
}

static NOINLINE void own_int3(void)
{
	/* In one piece: the label is to be the next instruction. */
	__asm__ volatile("lea 1f(%%rip), %%rax\n\tmov %%rax, %0\n\tint3\n1:"
			 : "=m"(expected) : : "rax", "memory");
}

static void *work(void *arg)
{
	while (!over) {
		unsigned long before = mine;
		void *p = fill(malloc(SIZE), SIZE, 5);

		own_int3();
		if (mine != before + 1)
			wrong++;
		raise(SIGTRAP);
		if (mine != before + 2)
			wrong++;
		check(p, SIZE, 5);
		free(p);
		done++;
	}
	return arg;
}

static void report(void)
{
	say("report %lu requests, %lu planted, %lu raised, %lu wrong\n", (unsigned long)done,
	    (unsigned long)planted, (unsigned long)raised, (unsigned long)wrong);
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t t[THREADS];

	MUST(!sigaction(SIGTRAP, &sa, NULL));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, work, NULL));
	live_serve(report, NULL);
	over = true;
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_join(t[i], NULL));
	report();
	bool right = !wrong && planted == done && raised == done;
	say("checksum %s\n", right ? "right" : "wrong");
	return right ? 0 : 98;
}
