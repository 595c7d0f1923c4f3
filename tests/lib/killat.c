/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into mprof: kills its tracing process with SIGKILL at the end of a system call, number
 * $KILL_AT of those that deal with tasks, counted from the first stop for a trap on, so that a test
 * can place a kill wherever one may come. The call is written to $KILL_LOG before. With $KILL_ALONE
 * the process that should hold the tracing process is not allowed to. With $KILL_LATE only calls
 * count that continue a task from a trap, and the kill comes when that task has stopped for its
 * next trap. With $KILL_FROM=seize calls are counted from the first task that is seized on, which
 * needs no trap; with $KILL_FROM=fork from the first fork(2) on that is reported to the tracer, and
 * with $KILL_FROM=signal from the first stop for a signal on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long left = -1;
static bool armed;
static pid_t trapped; /* the task that was the last to stop for a trap */

static bool is_called(const char *wanted)
{
	char name[16] = "";

	return !prctl(PR_GET_NAME, name) && !strcmp(name, wanted);
}

static void begin(void)
{
	if (armed || !is_called("mprof-tracer"))
		return;
	const char *at = getenv("KILL_AT");

	left = at ? atol(at) : -1;
	armed = true;
}

static bool counts_from(const char *what)
{
	const char *from = getenv("KILL_FROM");

	return from && !strcmp(from, what);
}

static void arm(int wstatus, pid_t tid)
{
	if (wstatus >> 8 == (SIGTRAP | PTRACE_EVENT_FORK << 8) && counts_from("fork"))
		begin();
	if (WIFSTOPPED(wstatus) && WSTOPSIG(wstatus) != SIGTRAP && wstatus >> 8 <= SIGRTMAX &&
	    counts_from("signal"))
		begin();
	if (wstatus >> 8 != SIGTRAP || counts_from("fork") || counts_from("signal"))
		return;
	trapped = tid;
	begin();
}

/* As /proc/PID/stat has it; or it has gone. */
static bool has_stopped(pid_t tid)
{
	char path[64], text[512] = "";

	snprintf(path, sizeof path, "/proc/%d/stat", (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	const char *end = n > 0 ? strrchr(text, ')') : NULL;

	return !end || end[2] == 't';
}

static void await_next_stop(pid_t tid)
{
	for (int i = 0; i < 10000 && !has_stopped(tid); i++)
		usleep(1000);
}

static void count(const char *what, long which, pid_t tid)
{
	bool late = getenv("KILL_LATE");

	if (late && (which != PTRACE_CONT || strcmp(what, "ptrace") || tid != trapped))
		return;
	if (!armed || left < 0 || left--)
		return;
	if (late)
		await_next_stop(tid);
	const char *log = getenv("KILL_LOG");
	int fd = log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		dprintf(fd, "%s %ld\n", what, which);
	syscall(SYS_kill, getpid(), SIGKILL);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

long ptrace(enum __ptrace_request request, ...)
{
	va_list args;

	va_start(args, request);
	pid_t pid = va_arg(args, pid_t);
	void *addr = va_arg(args, void *), *data = va_arg(args, void *);
	va_end(args);
	if (request == PTRACE_SEIZE && getenv("KILL_ALONE") && is_called("mprof-keeper")) {
		errno = EPERM;
		return -1;
	}
	long result = NEXT(ptrace)(request, pid, addr, data);

	if (request == PTRACE_SEIZE && counts_from("seize"))
		begin();

	count("ptrace", request, pid);
	return result;
}

ssize_t pwrite(int fd, const void *buf, size_t size, off_t at)
{
	ssize_t n = NEXT(pwrite)(fd, buf, size, at);

	count("pwrite", 0, 0);
	return n;
}

ssize_t pread(int fd, void *buf, size_t size, off_t at)
{
	ssize_t n = NEXT(pread)(fd, buf, size, at);

	count("pread", 0, 0);
	return n;
}

pid_t waitpid(pid_t pid, int *wstatus, int options)
{
	pid_t got = NEXT(waitpid)(pid, wstatus, options);

	if (got > 0 && wstatus)
		arm(*wstatus, got);
	if (got > 0)
		count("wait", wstatus ? *wstatus : 0, 0);
	return got;
}

int waitid(idtype_t type, id_t id, siginfo_t *si, int options)
{
	int err = NEXT(waitid)(type, id, si, options);

	if (!err && si && si->si_pid && si->si_code == CLD_TRAPPED)
		arm(si->si_status << 8 | 0x7f, si->si_pid);
	if (!err && si && si->si_pid)
		count("wait", si->si_status, 0);
	return err;
}
