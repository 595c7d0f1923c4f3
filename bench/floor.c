/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * floor N sleep|spin|pin: what the kernel asks for N int3 stops when the tracer does nothing but
 * waitpid and PTRACE_CONT; no tool that works by breakpoints can be faster than its stops.
 *
 *	sleep	the tracer sleeps in waitpid, the scheduler places both where it likes
 *	spin	the tracer asks with WNOHANG, again and again
 *	pin	as sleep, both on the first processor this process may use
 *
 * Prints microseconds per stop.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pin(void)
{
	cpu_set_t may, one;

	if (sched_getaffinity(0, sizeof may, &may))
		return;
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &may)) {
			CPU_SET(i, &one);
			break;
		}
	}
	sched_setaffinity(0, sizeof one, &one);
}

static int tracee(long n)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
		return 1;
	for (long i = 0; i < n; i++)
		__asm__ volatile("int3");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: floor N sleep|spin|pin\n");
		return 2;
	}
	long n = atol(argv[1]), stops = 0;
	int status, flags = strcmp(argv[2], "spin") ? 0 : WNOHANG;
	struct timespec from, to;

	if (!strcmp(argv[2], "pin"))
		pin();
	pid_t pid = fork();
	if (pid < 0)
		return 1;
	if (!pid)
		_exit(tracee(n));
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 1;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL);
	clock_gettime(CLOCK_MONOTONIC, &from);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	for (;;) {
		pid_t got = waitpid(pid, &status, flags);

		if (!got)
			continue;
		if (got != pid)
			return 1;
		if (!WIFSTOPPED(status))
			break;
		stops++;
		ptrace(PTRACE_CONT, pid, NULL, NULL); /* the SIGTRAP is swallowed */
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (status || stops != n)
		return 1;
	printf("%.4f\n", ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
				 (double)n / 1e3);
	return 0;
}
