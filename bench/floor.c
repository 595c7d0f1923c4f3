/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * floor N follow|adaptive|sleep|spin|pin: what the kernel asks for N int3 stops when the tracer does
 * nothing but waitpid and PTRACE_CONT; no tool that works by breakpoints can be faster than its stops.
 *
 *	follow		the tracer sleeps, is SCHED_IDLE, and goes to the processor on which the tracee ran last
 *	sleep		the tracer sleeps in waitpid, the scheduler places both where it likes
 *	spin		the tracer asks with WNOHANG, again and again, and yields in between
 *	adaptive	as spin for 50 us after each stop, then as sleep
 *	pin		as sleep, both on the first processor this process may use
 *
 * Prints microseconds per stop.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SPIN_NS = 50000, LOOK = 64 };

enum how { FOLLOW, ADAPTIVE, SLEEP, SPIN, PIN, UNKNOWN };

static const char *const names[] = { "follow", "adaptive", "sleep", "spin", "pin" };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void use_only(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
}

/* The 39th field of /proc/PID/stat; the name, the second, has no blanks here. */
static int processor_of(pid_t pid)
{
	char path[64];
	int cpu = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	for (int i = 1; f && i < 39; i++)
		if (fscanf(f, "%*s"))
			break;
	if (f && fscanf(f, "%d", &cpu) != 1)
		cpu = 0;
	if (f)
		fclose(f);
	return cpu;
}

static int first_cpu(void)
{
	cpu_set_t may;

	if (sched_getaffinity(0, sizeof may, &may))
		return 0;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &may))
			return i;
	return 0;
}

static int tracee(long n)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
		return 1;
	for (long i = 0; i < n; i++)
		__asm__ volatile("int3");
	return 0;
}

static pid_t wait_for(pid_t pid, int *status, enum how how)
{
	double until = 0;

	if (how != SPIN && how != ADAPTIVE)
		return waitpid(pid, status, 0);
	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got)
			return got;
		if (how == ADAPTIVE) {
			if (until == 0)
				until = now_ns() + SPIN_NS;
			else if (now_ns() >= until)
				return waitpid(pid, status, 0);
		}
		sched_yield();
	}
}

/* All stops until the end; their number, or -1. */
static long serve(pid_t pid, enum how how)
{
	for (long stops = 0;; stops++) {
		int status;

		if (how == FOLLOW && stops % LOOK == 0)
			use_only(processor_of(pid));

		ptrace(PTRACE_CONT, pid, NULL, NULL); /* the SIGTRAP is swallowed */
		if (wait_for(pid, &status, how) != pid)
			return -1;
		if (!WIFSTOPPED(status))
			return status ? -1 : stops;
	}
}

int main(int argc, char **argv)
{
	enum how how = FOLLOW;
	int status;

	while (argc == 3 && how < UNKNOWN && strcmp(argv[2], names[how]))
		how++;
	if (argc != 3 || how == UNKNOWN) {
		fprintf(stderr, "usage: floor N follow|adaptive|sleep|spin|pin\n");
		return 2;
	}
	long n = atol(argv[1]);

	const struct sched_param none = { 0 };

	if (how == PIN)
		use_only(first_cpu());
	pid_t pid = fork();
	if (pid < 0)
		return 1;
	if (!pid)
		_exit(tracee(n));
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 1;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL);

	if (how == FOLLOW && sched_setscheduler(0, SCHED_IDLE, &none))
		return 1;
	double from = now_ns();
	if (serve(pid, how) != n)
		return 1;
	printf("%.4f\n", (now_ns() - from) / (double)n / 1e3);
	return 0;
}
