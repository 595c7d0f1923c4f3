/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stormy [SIGNALS]: main allocates and frees under a storm of SIGNALS signals, from a timer and
 * from another thread, whose handlers do so, too. After every tenth a handler leaves by siglongjmp,
 * if main is in no call of the allocator. A handler allocates wherever it interrupts, except within
 * the C library itself, whose heap may be in the middle of a change; code that a tracer has put
 * around that is no exception. Where a handler takes longer than the next signal to come, main
 * would never go on: only A_ROUND handlers do anything, and count, in one round of main.
 */
#include "target.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

enum { MAIN = 3413, HANDLER = 3433, BLOCKS = 16, A_ROUND = 4 };

static sigjmp_buf home;
static volatile unsigned long allocs[2], frees[2], signals, jumps;
static volatile unsigned in_call, live, in_round;
static uintptr_t libc_lo, libc_hi;
static atomic_bool over;
static pid_t main_tid;

/* What the call has given counts before anybody may leave it. */
static NOINLINE void *take(int size, volatile unsigned long *n)
{
	unsigned was = in_call;
	void *p;

	in_call = 1;
	p = malloc((size_t)size);
	MUST(p);
	(*n)++;
	in_call = was;
	return p;
}

static NOINLINE void give(void *p, volatile unsigned long *n)
{
	unsigned was = in_call;

	in_call = 1;
	free(p);
	(*n)++;
	in_call = was;
}

static void handler(int sig, siginfo_t *si, void *uc)
{
	const ucontext_t *u = uc;
	uintptr_t pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	int saved = errno;

	(void)sig;
	(void)si;
	if (++in_round > A_ROUND)
		return;
	signals++;
	if (!live || (pc >= libc_lo && pc < libc_hi))
		return;
	void *p = fill(take(HANDLER, &allocs[1]), HANDLER, (int)signals & 0x7f);
	check(p, HANDLER, p ? ((unsigned char *)p)[0] : 0);
	give(p, &frees[1]);
	errno = saved;
	if (signals % 10 || in_call)
		return;
	jumps++;
	siglongjmp(home, 1);
}

/* All handlers run in main: while main is in one, the timer's signals would go to this thread, and
 * what two handlers count at a time gets lost. */
static void *blow(void *unused)
{
	const struct timespec moment = { .tv_nsec = 20000 };
	sigset_t all;

	(void)unused;
	sigfillset(&all);
	MUST(!pthread_sigmask(SIG_SETMASK, &all, NULL));
	while (!over) {
		syscall(SYS_tgkill, getpid(), main_tid, SIGUSR1);
		nanosleep(&moment, NULL);
	}
	return NULL;
}

static void work(unsigned long until)
{
	static void *volatile block[BLOCKS];
	static volatile unsigned i;

	/* Whoever jumps has left the block that was about to change as it was, or to nobody. */
	sigsetjmp(home, 1);
	in_call = 0;
	live = 1;
	while (signals < until) {
		in_round = 0;
		i = (i + 1) % BLOCKS;
		void *p = block[i];

		block[i] = NULL;
		if (p)
			give(p, &frees[0]);
		in_call++;
		p = take(MAIN, &allocs[0]);
		block[i] = p;
		in_call--;
	}
	live = 0;
	for (i = 0; i < BLOCKS; i++)
		if (block[i])
			give(block[i], &frees[0]);
}

static void handle(int sig)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	/* One that interrupts another would not see what that one has interrupted. */
	sigfillset(&sa.sa_mask);
	MUST(!sigaction(sig, &sa, NULL));
}

int main(int argc, char **argv)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	const struct itimerspec often = { { 0, 50000 }, { 0, 50000 } };
	const struct itimerspec never = { { 0, 0 }, { 0, 0 } };
	pthread_t thread;
	timer_t timer;

	find_libc(&libc_lo, &libc_hi);
	main_tid = gettid();
	handle(SIGUSR1);
	handle(SIGUSR2);
	MUST(!pthread_create(&thread, NULL, blow, NULL));
	MUST(!timer_create(CLOCK_MONOTONIC, &ev, &timer));
	MUST(!timer_settime(timer, 0, &often, NULL));
	work(argc > 1 ? (unsigned long)atol(argv[1]) : 20000);
	over = true;
	MUST(!timer_settime(timer, 0, &never, NULL));
	pthread_join(thread, NULL);
	MUST(allocs[1]);
	bin(MAIN, (long)allocs[0], (long)frees[0]);
	bin(HANDLER, (long)allocs[1], (long)frees[1]);
	say("stormy: %lu by main, %lu by handlers, %lu jumps\n", allocs[0], allocs[1], jumps);
	return 0;
}
