/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into mprof: kills one of its processes with SIGKILL at the beginning of that process's
 * system call number $POINT_AT, counted from 1. $POINT_OF says which process:
 *
 *	first	the one that was started
 *	NAME	one that gives itself this name, as mprof-keeper does
 *	<NAME	one that a process of this name has forked
 *
 * and $POINT_NTH (1) which of these, counted from when the file $POINT_FROM exists, if that is set.
 * Seen from outside, the end of one call is the beginning of the next. "killed CALL", CALL being a
 * number, is written to $POINT_LOG, or "lived CALLS" if the process made fewer calls.
 *
 * A process forked for the purpose traces it by system calls, so calls within the C library count,
 * too. The tracing process has a tracer already and cannot be killed by this: see killat.c.
 * It affects only processes that run $POINT_EXE, mprof's own file; programs that these start do not
 * get it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* <sys/ptrace.h> has the same names as <linux/ptrace.h>, which alone has this struct. */
extern long ptrace(int request, ...);

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* A call that nobody makes: what comes after it counts. */
enum { NO_FD = -77 };

static char of[32], log_name[PATH_MAX], from[PATH_MAX];
static long at, nth = 1;
static atomic_long *met;	/* processes of this kind; shared by all */

static void note(const char *what, long n)
{
	char line[64];
	int len = snprintf(line, sizeof line, "%s %ld\n", what, n);
	int fd = open(log_name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd >= 0) {
		(void)!write(fd, line, (size_t)len);
		close(fd);
	}
}

/* ---- who kills ---- */

/* The next stop of it; false: it has ended. */
static bool await(pid_t pid, int *wstatus)
{
	pid_t got;

	while ((got = waitpid(pid, wstatus, __WALL)) < 0 && errno == EINTR)
		;
	return got == pid && WIFSTOPPED(*wstatus);
}

static void go_on(pid_t pid, int wstatus)
{
	int sig = WSTOPSIG(wstatus);
	bool by_event = wstatus >> 16;

	if (by_event && sig != SIGTRAP)
		ptrace(PTRACE_LISTEN, pid, NULL, NULL);
	else
		ptrace(PTRACE_SYSCALL, pid, NULL,
		       by_event || sig == (SIGTRAP | 0x80) ? NULL : (void *)(intptr_t)sig);
}

/* The number of the call that it is about to make, or -1; *begun: it has made the one that nobody
 * makes. */
static long call_begun(pid_t pid, int wstatus, bool *begun)
{
	struct ptrace_syscall_info info;

	if (WSTOPSIG(wstatus) != (SIGTRAP | 0x80) ||
	    ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return -1;
	if (*begun)
		return (long)info.entry.nr;
	*begun = info.entry.nr == SYS_close && (int)info.entry.args[0] == NO_FD;
	return -1;
}

static void kill_at_call(pid_t pid)
{
	bool begun = false;
	long n = 0;
	int wstatus;

	while (await(pid, &wstatus)) {
		long call = call_begun(pid, wstatus, &begun);

		if (call >= 0 && ++n == at) {
			note("killed", call);
			kill(pid, SIGKILL);
			ptrace(PTRACE_CONT, pid, NULL, NULL);
			while (await(pid, &wstatus))
				ptrace(PTRACE_CONT, pid, NULL, NULL);
			return;
		}
		go_on(pid, wstatus);
	}
	note("lived", n);
}

/* ---- who is killed ---- */

__attribute__((noreturn)) static void be_the_killer(pid_t pid, int ready)
{
	prctl(PR_SET_NAME, "killpoint");
	setsid();
	/* Whoever waits for the end of a file of its waits for that process. */
	dup2(ready, 0);
	close_range(1, ~0u, 0);
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(intptr_t)PTRACE_O_TRACESYSGOOD) ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
		_exit(1);
	int wstatus;
	if (await(pid, &wstatus))
		go_on(pid, wstatus);
	(void)!write(0, "", 1);
	close(0);
	kill_at_call(pid);
	_exit(0);
}

/* It is to be nobody's child, and no signal is to tell of it. */
static void have_killer(void)
{
	pid_t self = getpid();
	int ready[2], err = errno;
	char c;

	if (pipe2(ready, O_CLOEXEC))
		_exit(77);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pid_t between = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (!between) {
		if (!syscall(SYS_clone, 0, 0, 0, 0, 0))
			be_the_killer(self, ready[1]);
		_exit(0);
	}
	while (waitpid(between, NULL, __WALL) < 0 && errno == EINTR)
		;
	close(ready[1]);
	while (read(ready[0], &c, 1) < 0 && errno == EINTR)
		;
	close(ready[0]);
	syscall(SYS_close, NO_FD);
	errno = err;
}

static bool is_meant(const char *who)
{
	return met && !strcmp(of, who) && (!*from || !access(from, F_OK)) &&
	       atomic_fetch_add(met, 1) + 1 == nth;
}

__attribute__((constructor)) static void begin(void)
{
	char self[PATH_MAX] = "";
	const char *exe = getenv("POINT_EXE"), *who = getenv("POINT_OF"), *n = getenv("POINT_NTH");
	const char *number = getenv("POINT_AT"), *log = getenv("POINT_LOG");
	const char *begins = getenv("POINT_FROM");

	if (!exe || !who || !number || !log)
		return;
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || strcmp(exe, self))
		return;
	unsetenv("LD_PRELOAD");
	at = atol(number);
	nth = n ? atol(n) : 1;
	snprintf(of, sizeof of, "%s", who);
	snprintf(log_name, sizeof log_name, "%s", log);
	snprintf(from, sizeof from, "%s", begins ? begins : "");
	void *page = mmap(NULL, sizeof *met, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);
	met = page == MAP_FAILED ? NULL : page;
	if (is_meant("first"))
		have_killer();
}

int prctl(int option, ...)
{
	unsigned long a[4];
	va_list args;

	va_start(args, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	int err = (int)syscall(SYS_prctl, option, a[0], a[1], a[2], a[3]);
	if (option == PR_SET_NAME && !err && is_meant((const char *)a[0]))
		have_killer();
	return err;
}

/* Whom the tracing process forks to run a program is traced by that, and not to be killed here. */
pid_t fork(void)
{
	char who[32] = "<";
	syscall(SYS_prctl, PR_GET_NAME, who + 1, 0, 0, 0);
	/* Of two children it is not known which one runs first. */
	bool meant = is_meant(who);
	pid_t pid = NEXT(fork)();

	if (!pid && meant)
		have_killer();
	return pid;
}
