/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/seize_thread.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum {
	STUCK_NS = 10000000,	/* a thread is seized in microseconds */
	STOPS_EACH = 4,		/* what waitpid can report of a thread that is not resumed: a stop,
				   and its death */
};

/*
 * PTRACE_SEIZE waits for an exec of the process to end. The exec waits for the process's other
 * threads to be gone; and seized threads are not gone before we have waited for them. So after a
 * while the call is interrupted by a signal whose handler waits for them; then the kernel restarts
 * the call.
 */
struct told {
	pid_t tid;
	int wstatus;
};

/* For the signal handler; there is one tracer in a process. */
static const struct kernel *told_by;
static struct told *told;
static size_t n_told, cap_told;

static void on_stuck(int sig)
{
	int saved = errno, wstatus;
	pid_t tid;

	(void)sig;
	while (n_told < cap_told && (tid = kernel_wait(told_by, -1, &wstatus, WNOHANG)) > 0)
		/* A thread in the stop of tracer_watch_exits() would never be gone. */
		if (WIFSTOPPED(wstatus) && wstatus >> 16 == PTRACE_EVENT_EXIT)
			kernel_resume(told_by, PTRACE_CONT, tid, 0);
		else
			told[n_told++] = (struct told){ tid, wstatus };
	errno = saved;
}

static void mask_alarm(int how)
{
	sigset_t urgent;

	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	sigprocmask(how, &urgent, NULL);
}

int seize_begin(struct tracer *t, struct seize_alarm *a)
{
	static const struct itimerspec every = { { 0, STUCK_NS }, { 0, STUCK_NS } };
	struct sigaction sa = { .sa_handler = on_stuck, .sa_flags = SA_RESTART };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG };

	if (timer_create(CLOCK_MONOTONIC, &ev, &a->timer))
		return -errno;
	sigprocmask(SIG_SETMASK, NULL, &a->mask);
	mask_alarm(SIG_BLOCK);
	sigaction(SIGURG, &sa, &a->was);
	timer_settime(a->timer, 0, &every, NULL);
	told_by = &t->kernel;
	return 0;
}

void seize_end(struct seize_alarm *a)
{
	timer_delete(a->timer);
	sigaction(SIGURG, &a->was, NULL);
	sigprocmask(SIG_SETMASK, &a->mask, NULL);
	free(told);
	told = NULL;
	cap_told = 0;
}

static int seize_by_kernel(const struct tracer *t, pid_t tid)
{
	mask_alarm(SIG_UNBLOCK);
	long failed = kernel_request(&t->kernel, PTRACE_SEIZE, tid, NULL, tracer_options(t));
	int err = failed ? -errno : 0;
	mask_alarm(SIG_BLOCK);
	return err;
}

/*
 * A thread that made an exec while PTRACE_SEIZE waited has its leader's tid now, and the exec may
 * have been over too early to be reported. Nothing would ever be reported for the old tid.
 */
static int follow_number(struct tracer *t, pid_t tid, pid_t tgid)
{
	struct task *task = tasks_find(&t->tasks, tid);

	if (!task || tid == tgid || task->state != TASK_RUNNING ||
	    kernel_says_ours(&t->kernel, tid))
		return 0;
	tracer_forget(t, task);
	if (tasks_find(&t->tasks, tgid) || !kernel_says_ours(&t->kernel, tgid))
		return 0;
	task = tasks_add(&t->tasks, tgid);
	if (!task)
		return -ENOMEM;
	task->tgid = tgid;
	return 0;
}

int seize_thread(struct tracer *t, pid_t tid, pid_t tgid)
{
	while (cap_told < STOPS_EACH * (t->tasks.n + 1))
		if (ARRAY_RESERVE(&told, &cap_told, cap_told))
			return -ENOMEM;
	int err = seize_by_kernel(t, tid);
	/* Out of memory: it runs on seized, without a record, until we exit. */
	struct task *task = err ? NULL : tasks_add(&t->tasks, tid);

	if (task) {
		task->tgid = tgid;
		task->silent = true;
	}
	for (size_t i = 0; i < n_told; i++)
		if (tracer_note(t, told[i].tid, told[i].wstatus))
			err = -ENOMEM;
	n_told = 0;
	if (!err && !task)
		err = -ENOMEM;
	return err ? err : follow_number(t, tid, tgid);
}
