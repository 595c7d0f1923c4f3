/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A child sends four real-time signals with values without end, as fast as the queue accepts them;
 * the parent allocates meanwhile. Each must arrive once, in order, with its value and sender. At
 * "quit" the child stops and reports how many it has sent: none may be missing.
 */
#include "live.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { KINDS = 4, SIZE = 2711, AHEAD = 200 };

struct shared {
	atomic_ulong sent[KINDS], seen[KINDS];
	atomic_bool stop, run;
};

static struct shared *shared;
static volatile sig_atomic_t wrong;
static pid_t child;

static void handler(int sig, siginfo_t *si, void *uc)
{
	int kind = sig - SIGRTMIN, saved = errno;

	(void)uc;
	if (kind < 0 || kind >= KINDS || si->si_code != SI_QUEUE || si->si_pid != child ||
	    (unsigned long)si->si_value.sival_int != shared->seen[kind])
		wrong++;
	else
		shared->seen[kind]++;
	errno = saved;
}

static void send_all(pid_t to)
{
	for (unsigned long n = 0; !shared->stop; n++) {
		int kind = (int)(n % KINDS);
		union sigval v = { .sival_int = (int)shared->sent[kind] };

		/* A few ahead: they queue up when the receiver is held. */
		while (shared->sent[kind] - shared->seen[kind] > AHEAD && !shared->stop)
			usleep(100);
		if (shared->stop)
			break;
		shared->sent[kind]++;
		while (sigqueue(to, SIGRTMIN + kind, v)) {
			if (errno != EAGAIN)
				_exit(1);
			usleep(100);
		}
		if (n % 64 == 0)
			usleep(1000);
	}
	_exit(0);
}

static unsigned long sum(atomic_ulong *of)
{
	unsigned long n = 0;

	for (int i = 0; i < KINDS; i++)
		n += of[i];
	return n;
}

static void report(void)
{
	say("report %lu signals, %d wrong\n", sum(shared->seen), (int)wrong);
}

/* Allocates until a command comes. */
static bool work(void)
{
	for (;;) {
		struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
		void *q = fill(malloc(SIZE), SIZE, 1);
		int n = poll(&p, 1, 0);

		check(q, SIZE, 1);
		free(q);
		if (n == 1)
			return true;
	}
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	char line[LIVE_LINE];
	int status;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	MUST(shared != MAP_FAILED);
	pid_t self = getpid();
	child = fork();
	MUST(child >= 0);
	if (!child) {
		while (!shared->run)
			usleep(500);
		send_all(self);
	}
	for (int i = 0; i < KINDS; i++)
		MUST(!sigaction(SIGRTMIN + i, &sa, NULL));
	shared->run = true;
	say("ready %d\n", (int)getpid());
	while (work() && live_line(line) && strcmp(line, "quit"))
		report();
	shared->stop = true;
	while (waitpid(child, &status, 0) < 0)
		;
	MUST(!status);
	/* What is queued has been delivered before a system call returns. */
	getppid();
	bool right = !wrong && sum(shared->seen) == sum(shared->sent);
	say("report %lu signals, %lu sent, %d "
	    "wrong\n", sum(shared->seen), sum(shared->sent), (int)wrong);
	say("checksum %s\n", right ? "right" : "wrong");
	return right ? 0 : 98;
}
