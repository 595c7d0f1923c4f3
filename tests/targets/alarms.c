/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIGALRM a thousand times a second with SA_SIGINFO, on an alternate stack, while three threads
 * allocate; and a timer of its own whose expirations, with the overruns, must be what the clock
 * says.
 */
#include "live.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

enum { THREADS = 3, SIZE = 3613 };

static char stack[1 << 16];
static volatile sig_atomic_t wrong;
static atomic_ulong alarms, requests, again;
static atomic_bool over;

static void handler(int sig, siginfo_t *si, void *uc)
{
	char here;

	if (sig != SIGALRM || si->si_signo != SIGALRM || si->si_code != SI_KERNEL || !uc)
		wrong++;
	if (&here < stack || &here >= stack + sizeof stack)
		wrong++;
	alarms++;
}

/* Not made by the kernel's timer: the sender's word must come through. */
static void counted(int sig, siginfo_t *si, void *uc)
{
	(void)sig, (void)uc;
	if (si->si_code != SI_TIMER || si->si_value.sival_int != 4711)
		wrong++;
	again += 1 + (unsigned long)si->si_overrun;
}

static void *work(void *arg)
{
	while (!over) {
		void *p = fill(malloc(SIZE), SIZE, 1);

		usleep(100);
		check(p, SIZE, 1);
		free(p);
		requests++;
	}
	return arg;
}

static void report(void)
{
	say("report %lu alarms, %lu expirations, %lu requests, %d wrong\n", (unsigned long)alarms,
	    (unsigned long)again, (unsigned long)requests, (int)wrong);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
	struct sigaction alarm = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART |
				   SA_ONSTACK };
	struct sigaction rt = { .sa_sigaction = counted, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval t = { { 0, 1000 }, { 0, 1000 } };
	struct itimerspec spec = { { 0, 1000000 }, { 0, 1000000 } }, off = { 0 };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN,
			       .sigev_value.sival_int = 4711 };
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof stack };
	pthread_t threads[THREADS];
	sigset_t all, was;
	timer_t timer;

	MUST(!sigaltstack(&ss, NULL) && !sigaction(SIGALRM, &alarm, NULL) &&
	     !sigaction(SIGRTMIN, &rt, NULL));
	/* Before they run: none of them may get an alarm, which it has no stack for. */
	sigfillset(&all);
	MUST(!pthread_sigmask(SIG_BLOCK, &all, &was));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&threads[i], NULL, work, NULL));
	MUST(!pthread_sigmask(SIG_SETMASK, &was, NULL));
	MUST(!timer_create(CLOCK_MONOTONIC, &ev, &timer));
	double start = now();
	MUST(!timer_settime(timer, 0, &spec, NULL) && !setitimer(ITIMER_REAL, &t, NULL));
	live_serve(report, NULL);
	double least = now() - start;
	MUST(!timer_settime(timer, 0, &off, NULL));
	double most = now() - start;
	t = (struct itimerval){ 0 };
	MUST(!setitimer(ITIMER_REAL, &t, NULL));
	over = true;
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_join(threads[i], NULL));
	report();
	say("expirations by the clock: %.0f to %.0f\n", least * 1000, most * 1000);
	/* A repeated one shows as too many, a lost one as too few; the last ones may have been
	 * dropped with the timer. */
	bool right = !wrong && (double)again <= most * 1000 + 1 &&
		     (double)again >= least * 1000 - 500;
	say("checksum %s\n", right ? "right" : "wrong");
	return right ? 0 : 98;
}
