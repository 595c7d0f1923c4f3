/* SPDX-License-Identifier: BSD-2-Clause */
/* A program with breakpoints of its own: int3, raise and kill of SIGTRAP reach its handler. */
#include "target.h"

#include <signal.h>
#include <ucontext.h>

enum { TIMES = 30, SIZE = 3511 };

static volatile sig_atomic_t planted, raised, sent, where_wrong;
static char *volatile expected;

static void handler(int sig, siginfo_t *si, void *uc)
{
	(void)sig;
	if (si->si_code == SI_KERNEL) {
		planted++;
		if ((char *)((ucontext_t *)uc)->uc_mcontext.gregs[REG_RIP] != expected)
			where_wrong++;
	} else if (si->si_code == SI_TKILL && si->si_pid == getpid()) {
		raised++;
	} else if (si->si_code == SI_USER && si->si_pid == getpid()) {
		sent++;
	}
}

static NOINLINE void own_int3(void)
{
	__asm__ volatile("lea 1f(%%rip), %%rax\n\tmov %%rax, %0\n\tint3\n1:"
			 : "=m"(expected)
			 :
			 : "rax");
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	MUST(!sigaction(SIGTRAP, &sa, NULL));
	for (int i = 0; i < TIMES; i++) {
		void *p = fill(malloc(SIZE), SIZE, i);

		own_int3();
		raise(SIGTRAP);
		void *volatile q = fill(malloc(SIZE), SIZE, i);
		kill(getpid(), SIGTRAP);
		check(q, SIZE, i);
		free(p);
	}
	MUST(planted == TIMES && raised == TIMES && sent == TIMES && !where_wrong);
	bin(SIZE, 2 * TIMES, TIMES);
	say("traps: %d of each\n", TIMES);
	return 0;
}
