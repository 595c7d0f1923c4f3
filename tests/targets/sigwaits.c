/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread takes SIGUSR1 with sigwait, another SIGUSR2 through a signalfd, and a third sends each
 * of them when the one before has been taken: none may be lost, none may come twice, and no
 * handler runs.
 */
#include "live.h"

#include <signal.h>
#include <sys/signalfd.h>

enum { SIZE = 2713 };

static pthread_t waiting, reading, sending;
static atomic_ulong sent[2], taken[2], wrong, interrupted;
static atomic_bool over, last; /* no more is sent; all that was sent has been taken */

static void never(int sig)
{
	(void)sig;
	wrong++;
}

static void pair(void)
{
	free(fill(malloc(SIZE), SIZE, 2));
}

static void *with_sigwait(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (;;) {
		int sig = 0, err = sigwait(&set, &sig);

		if (last)
			return arg;
		pair();
		if (err == EINTR) {
			interrupted++;
			continue;
		}
		if (err || sig != SIGUSR1 || taken[0] >= sent[0])
			wrong++;
		taken[0]++;
	}
}

static void *with_signalfd(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	int fd = signalfd(-1, &set, SFD_CLOEXEC);
	MUST(fd >= 0);
	for (;;) {
		struct signalfd_siginfo si;
		ssize_t n = read(fd, &si, sizeof si);

		if (last)
			return arg;
		pair();
		if (n < 0 && errno == EINTR) {
			interrupted++;
			continue;
		}
		if (n != sizeof si || si.ssi_signo != SIGUSR2 || si.ssi_pid != (uint32_t)getpid() ||
		    taken[1] >= sent[1])
			wrong++;
		taken[1]++;
	}
}

static void *send_them(void *arg)
{
	while (!over) {
		for (int i = 0; i < 2; i++) {
			sent[i]++;
			kill(getpid(), i ? SIGUSR2 : SIGUSR1);
			while (taken[i] < sent[i]) { /* a lost one: for ever */
				pair();
				usleep(50);
			}
		}
	}
	return arg;
}

static void report(void)
{
	say("report %lu signals, %lu wrong, %lu interrupted\n",
	    (unsigned long)(taken[0] + taken[1]), (unsigned long)wrong, (unsigned long)interrupted);
}

int main(void)
{
	struct sigaction sa = { .sa_handler = never };
	sigset_t set;

	MUST(!sigaction(SIGUSR1, &sa, NULL) && !sigaction(SIGUSR2, &sa, NULL));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	MUST(!pthread_sigmask(SIG_BLOCK, &set, NULL));
	MUST(!pthread_create(&waiting, NULL, with_sigwait, NULL));
	MUST(!pthread_create(&reading, NULL, with_signalfd, NULL));
	MUST(!pthread_create(&sending, NULL, send_them, NULL));
	live_serve(report, NULL);
	over = true;
	MUST(!pthread_join(sending, NULL));
	last = true;
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
	MUST(!pthread_join(waiting, NULL));
	MUST(!pthread_join(reading, NULL));
	report();
	bool right = !wrong && taken[0] == sent[0] && taken[1] == sent[1];
	say("checksum %s\n", right ? "right" : "wrong");
	return right ? 0 : 98;
}
