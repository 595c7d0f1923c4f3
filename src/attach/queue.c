/* SPDX-License-Identifier: BSD-2-Clause */
/* From waitpid to the queue: all reported stops are taken before any of them is served. */
#include "attach/tracer_internal.h"

#include "arch/arch.h"
#include "base/array.h"
#include "base/clock.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* A stop that is answered at once by a tracer still awake costs a third of one that has to wake
 * it: so stay awake this long after the last one. */
#define SPIN_NS 50000

/* Write the stop into the journal, for the watchdog and the keeper. */
static void write_down(struct tracer *t, struct task *task, int wstatus)
{
	struct stop s = stop_decode(task->tid, wstatus, SI_USER, arch_trap_code);
	siginfo_t si;

	if (!t->journal)
		return;
	if (stop_needs_siginfo(wstatus)) {
		journal_trapped(t->journal, &task->journal_record, tracer_who(task));
		return;
	}
	if (s.kind != STOP_SIGNAL)
		return;
	if (kernel_request(&t->kernel, PTRACE_GETSIGINFO, task->tid, NULL, &si))
		si = (siginfo_t){ .si_signo = s.arg };
	journal_owes(t->journal, &task->journal_record, tracer_who(task), &si);
}

void task_heard_of(struct task *task)
{
	task->silent = task->in_vfork = false;
}

static int enqueue(struct tracer *t, struct task *task, int wstatus)
{
	if (ARRAY_RESERVE(&t->queue, &t->cap_queue, t->n_queue))
		return -ENOMEM;
	write_down(t, task, wstatus);
	task->state = TASK_QUEUED;
	task_heard_of(task);
	task->wstatus = wstatus;
	t->queue[t->n_queue++] = task->tid;
	return 0;
}

/*
 * A task is at PTRACE_EVENT_EXIT. It is not queued like other stops but resumed at once: another
 * thread's exec waits for its end, and tracer_hold() would wait for that thread.
 */
static void serve_exiting(struct tracer *t, struct task *task, pid_t tid)
{
	if (task && task->space && !task->exiting) {
		task->exiting = true;
		if (++task->space->exiting == task->space->tasks)
			t->ops->exiting(t->ctx, task);
	}
	if (task)
		task_resume(t, task, 0);
	else
		kernel_resume(&t->kernel, PTRACE_CONT, tid, 0);
}

static int note(struct tracer *t, pid_t tid, int wstatus)
{
	struct task *task = tasks_find(&t->tasks, tid);

	/* The tid has been reused for another task. */
	if (task && task_has_ended(task)) {
		tracer_serve_end(t, task);
		task = tasks_find(&t->tasks, tid);
	}
	if (WIFSTOPPED(wstatus) && wstatus >> 16 == PTRACE_EVENT_EXIT) {
		serve_exiting(t, task, tid);
		return 0;
	}

	if (!task) {
		/* A new task's first stop may overtake its parent's event. But a task that has
		 * ended without ever having been seen needs no record. */
		if (!WIFSTOPPED(wstatus)) {
			t->ops->reaped(t->ctx, tid, wstatus);
			return 0;
		}
		task = tasks_add(&t->tasks, tid);
		if (!task)
			return -ENOMEM;
		task->fresh = true;
	}
	if (WIFSTOPPED(wstatus) && wstatus >> 16 == PTRACE_EVENT_EXEC) {
		if (t->calling)
			task->takes_over = t->taking_over = true;
		else
			tracer_take_over(t, task);
		/* What was recorded for this tid was about the old program. */
		journal_goes_on(t->journal, task->journal_record);
		journal_went_on(t->journal, task->journal_record);
	}
	return enqueue(t, task, wstatus);
}

int tracer_note(struct tracer *t, pid_t tid, int wstatus)
{
	int err = note(t, tid, wstatus);

	journal_noted(t->journal);
	return err;
}

/* waitpid knows no tracee of ours any more: tasks that are thought to run have ended without a
 * report. Queued stops and ends are still to be served. */
void tracer_forget_running(struct tracer *t)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->state == TASK_QUEUED || task->state == TASK_SERVED)
			continue;
		tracer_forget(t, task);
		i = 0; /* the table has changed */
	}
}

/* ---- waiting ---- */

/* Take one report of waitpid, waiting for it unless @flags has WNOHANG. Returns 1: taken; 0:
 * nothing (yet); or -errno. */
static int take(struct tracer *t, int flags)
{
	int wstatus;
	pid_t tid = kernel_wait(&t->kernel, -1, &wstatus, flags);

	if (tid > 0) {
		int err = tracer_note(t, tid, wstatus);

		return err ? err : 1;
	}
	if (tid == 0 || errno == EINTR)
		return 0;
	if (errno != ECHILD)
		return -errno;
	tracer_forget_running(t);
	return 0;
}

/* Queue everything that has happened so far. Taking it all before serving any is what makes it
 * fair: the kernel always looks at the same task first. Once all tasks are queued only their deaths
 * could follow, and those can wait. */
int tracer_collect(struct tracer *t)
{
	int taken = 1;

	tracer_take_overs(t);
	while (taken > 0 && t->n_queue < t->tasks.n)
		taken = take(t, WNOHANG);
	return taken < 0 ? taken : 0;
}

/* Is it time to sleep? *until: 0 on the first call. */
static bool tired(const struct tracer *t, uint64_t *until)
{
	if (t->wait == WAIT_SLEEP || t->wait == WAIT_SPIN)
		return t->wait == WAIT_SLEEP;
	if (follow_is_on(t->follow))
		return true;
	uint64_t now = clock_now_ns();

	if (!*until)
		*until = now + SPIN_NS;
	return now >= *until;
}

/* Have sleeps interrupted every @ns; 0: only when something happens. */
static void wake_every(struct tracer *t, uint64_t ns)
{
	if (t->wake_ns != ns)
		t->kernel.wake(t->kernel.ctx, ns);
	t->wake_ns = ns;
}

void tracer_look_seldom(struct tracer *t)
{
	wake_every(t, 0);
}

/*
 * Take what the programs have reported without a stop. True: it was so much that there may be as
 * much again soon. Otherwise it is cheaper for both sides to let events gather than to poll memory
 * that is being written. A busy program fills the ring in milliseconds, and one that has reported
 * nothing for long may as well wait that long once.
 */
static bool look(struct tracer *t)
{
	enum { SOON_NS = 500000, LATER_NS = 5000000, SOME = 200, MUCH = 8192 };

	if (!t->looks_often)
		return false;
	uint64_t events = t->ops->idle(t->ctx);

	t->empty_looks = events ? 0 : t->empty_looks + 1;
	wake_every(t, t->empty_looks < SOME ? SOON_NS : LATER_NS);
	return events >= MUCH;
}

int tracer_wait_for_work(struct tracer *t, const volatile sig_atomic_t *stop)
{
	uint64_t until = 0;
	int err = 0;

	while (!err && !t->n_queue && !*stop && t->tasks.n) {
		bool sleep = !look(t) && tired(t, &until);

		err = take(t, sleep ? 0 : WNOHANG);
		if (!err && !sleep)
			/* the program may be waiting for this processor */
			t->kernel.pause(t->kernel.ctx, 0);
		if (err > 0)
			err = 0;
	}
	return err ? err : tracer_collect(t);
}
