/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * floor N adaptive|sleep|spin|pin|follow: what the kernel asks for N int3 stops when the tracer does
 * nothing but waitpid and PTRACE_CONT; no tool that works by breakpoints can be faster than its stops.
 *
 *	sleep		the tracer sleeps in waitpid, the scheduler places both where it likes
 *	spin		the tracer asks with WNOHANG, again and again
 *	adaptive	as spin for 100 us after each stop, then as sleep
 *	pin		as sleep, both on the first processor this process may use
 *	follow		as sleep, the tracer with SCHED_IDLE on the processor on which the other ran last
 *
 * Prints microseconds per stop.
 */
#include <fcntl.h>
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

enum { SPIN_NS = 100000, ASK_EVERY = 64 };

enum how { ADAPTIVE, SLEEP, SPIN, PIN, FOLLOW, UNKNOWN };

static const char *const names[] = { "adaptive", "sleep", "spin", "pin", "follow" };

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

/* The 39th field of /proc/PID/stat; 37 come behind the name. */
static void follow(int stat_fd)
{
	static int on = -1;
	char line[1024];
	ssize_t n = pread(stat_fd, line, sizeof line - 1, 0);

	if (n <= 0)
		return;
	line[n] = '\0';
	char *s = strrchr(line, ')');
	for (int i = 0; s && i < 37; i++)
		s = strchr(s + 1, ' ');
	if (!s || atoi(s) == on)
		return;
	on = atoi(s);
	use_only(on);
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
	for (unsigned rounds = 0;; rounds++) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got)
			return got;
		if (how == SPIN || rounds % 16)
			continue;
		if (until == 0)
			until = now_ns() + SPIN_NS;
		else if (now_ns() >= until)
			return waitpid(pid, status, 0);
	}
}

/* All stops until the end; their number, or -1. */
static long serve(pid_t pid, enum how how, int stat_fd)
{
	for (long stops = 0;; stops++) {
		int status;

		if (how == FOLLOW && stops % ASK_EVERY == 0)
			follow(stat_fd);
		ptrace(PTRACE_CONT, pid, NULL, NULL); /* the SIGTRAP is swallowed */
		if (wait_for(pid, &status, how) != pid)
			return -1;
		if (!WIFSTOPPED(status))
			return status ? -1 : stops;
	}
}

int main(int argc, char **argv)
{
	enum how how = ADAPTIVE;
	char path[64];
	int status;

	while (argc == 3 && how < UNKNOWN && strcmp(argv[2], names[how]))
		how++;
	if (argc != 3 || how == UNKNOWN) {
		fprintf(stderr, "usage: floor N adaptive|sleep|spin|pin|follow\n");
		return 2;
	}
	long n = atol(argv[1]);

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
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	int stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sched_param none = { 0 };
	if (how == FOLLOW && (stat_fd < 0 || sched_setscheduler(0, SCHED_IDLE, &none)))
		return 1;

	double from = now_ns();
	if (serve(pid, how, stat_fd) != n)
		return 1;
	printf("%.4f\n", (now_ns() - from) / (double)n / 1e3);
	return 0;
}
