/* SPDX-License-Identifier: BSD-2-Clause */
/* storm [N]: N pairs of malloc and free under a SIGALRM every millisecond. */
#include "target.h"

#include <signal.h>
#include <sys/time.h>

enum { SIZE = 3607, ALARMS = 50 };

static volatile sig_atomic_t alarms, wrong;

static void handler(int sig, siginfo_t *si, void *uc)
{
	(void)uc;
	alarms++;
	if (sig != SIGALRM || si->si_signo != SIGALRM || si->si_code != SI_KERNEL)
		wrong++;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10000;
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval t = { { 0, 1000 }, { 0, 1000 } };

	MUST(!sigaction(SIGALRM, &sa, NULL));
	MUST(!setitimer(ITIMER_REAL, &t, NULL));
	for (long i = 0; i < n; i++) {
		void *p = fill(malloc(SIZE), SIZE, (int)i);

		check(p, SIZE, (int)i);
		free(p);
	}
	while (alarms < ALARMS)
		pause();
	t = (struct itimerval){ 0 };
	MUST(!setitimer(ITIMER_REAL, &t, NULL));
	MUST(!wrong);
	bin(SIZE, n, n);
	say("storm: weathered\n");
	return 0;
}
