/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cutforks exec N: threads fork without end, and meanwhile another thread executes the program
 * again, N times; cutforks exit N: N children do the same, but exit; cutforks kill N: they kill
 * themselves. Whenever a parent ends, a child that has been forked does its work and ends with 0;
 * how many children there are is not known.
 */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { FORKERS = 2, PAIRS = 3, SIZE = 1301, NO_MORE = 2000 };

static void *fork_on(void *arg)
{
	for (int i = 0; i < NO_MORE; i++) {
		pid_t pid = fork();

		MUST(pid >= 0);
		if (pid)
			continue;
		for (int k = 0; k < PAIRS; k++)
			free(fill(malloc(SIZE), SIZE, k));
		_exit(0);
	}
	return arg;
}

static void begin_to_fork(int n)
{
	pthread_t t;

	for (int i = 0; i < FORKERS; i++)
		MUST(!pthread_create(&t, NULL, fork_on, NULL));
	usleep(2000 + (unsigned)n * 7919 % 20000);
}

/* All children, or with WNOHANG those that have ended, until this one has. */
static void reap(int flags, pid_t last)
{
	int wstatus;
	pid_t pid = 0;

	while (pid != last && (pid = waitpid(-1, &wstatus, flags)) > 0)
		MUST(!wstatus || (WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGKILL));
}

static void *exec_again(void *arg)
{
	execv("/proc/self/exe", arg);
	_exit(95);
}

static void cut_by_exec(int n)
{
	char left[16];
	char *again[] = { (char *)"cutforks", (char *)"exec", left, NULL };
	pthread_t t;

	reap(WNOHANG, -1);
	if (!n)
		return;
	snprintf(left, sizeof left, "%d", n - 1);
	begin_to_fork(n);
	MUST(!pthread_create(&t, NULL, exec_again, again));
	for (;;)
		pause();
}

static void cut_by_end(int n, bool by_signal)
{
	while (n--) {
		pid_t pid = fork();

		MUST(pid >= 0);
		if (!pid) {
			begin_to_fork(n);
			if (by_signal)
				kill(getpid(), SIGKILL);
			exit(0);
		}
		reap(0, pid);
	}
}

int main(int argc, char **argv)
{
	MUST(argc > 2 && !prctl(PR_SET_CHILD_SUBREAPER, 1));
	int n = atoi(argv[2]);

	if (!strcmp(argv[1], "exec"))
		cut_by_exec(n);
	else
		cut_by_end(n, !strcmp(argv[1], "kill"));
	reap(0, -1);
	say("cutforks: done\n");
	return 0;
}
