/* SPDX-License-Identifier: BSD-2-Clause */
/* Stopping all tasks of a space at once, and letting programs go for good. */
#include "attach/tracer_internal.h"

#include "arch/arch.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static int wait_for(pid_t tid, int *wstatus)
{
	pid_t got;

	do
		got = waitpid(tid, wstatus, __WALL);
	while (got < 0 && errno == EINTR);
	return got == tid ? 0 : -ECHILD;
}

/* Wait for the stop that PTRACE_INTERRUPT has asked for; what came before it is queued. */
static void await_held(struct tracer *t, struct task *task)
{
	int wstatus;

	if (wait_for(task->tid, &wstatus))
		return;
	if (WIFSTOPPED(wstatus) && tracer_decode(task->tid, wstatus).kind == STOP_HELD && !task->fresh)
		task->state = TASK_HELD;
	else
		tracer_note(t, task->tid, wstatus);
}

void tracer_hold(struct tracer *t, struct space *s, const struct task *except)
{
	struct task *task;

	/* First ask all, then wait for all: the answers come while the others are asked. */
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task != except && task->space == s && task->state == TASK_RUNNING)
			ptrace(PTRACE_INTERRUPT, task->tid, NULL, NULL);
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task != except && task->space == s && task->state == TASK_RUNNING)
			await_held(t, task);
}

void tracer_unhold(struct tracer *t, struct space *s)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->space == s && task->state == TASK_HELD)
			task_resume(t, task, 0);
}

/* ---- letting go ---- */

/* Is the SIGTRAP of a trap instruction already on its way to a task that was stopped before it? */
static bool trap_is_pending(pid_t tid)
{
	struct __ptrace_peeksiginfo_args from = { .nr = 1 };
	siginfo_t si;

	for (; ptrace(PTRACE_PEEKSIGINFO, tid, &from, &si) == 1; from.off++)
		if (si.si_signo == SIGTRAP && si.si_code == arch_trap_code)
			return true;
	return false;
}

static void stop_for_good(struct tracer *t, struct task *task)
{
	if (task->state == TASK_RUNNING || task->state == TASK_LISTENING) {
		ptrace(PTRACE_INTERRUPT, task->tid, NULL, NULL);
		task->state = TASK_RUNNING;
		await_held(t, task);
	}
	while (task->state == TASK_HELD && trap_is_pending(task->tid)) {
		task_resume(t, task, 0);
		await_held(t, task);
	}
}

/* New tasks come to light while the old ones are stopped: until there is nothing to do. */
static bool stop_more(struct tracer *t)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->state == TASK_RUNNING || task->state == TASK_LISTENING) {
			stop_for_good(t, task);
			return true;
		}
	}
	return false;
}

/* Births, execs and ends that were queued change who is there. True: one was served. */
static bool serve_changes(struct tracer *t)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->state != TASK_QUEUED)
			continue;
		struct stop s = tracer_decode(task->tid, task->wstatus);
		if (s.kind == STOP_EXITED || s.kind == STOP_KILLED) {
			pid_t pid = task->tid == task->tgid ? task->tid : 0;
			int wstatus = task->wstatus;
			if (task->space)
				tracer_place_orphans(t, task);
			tracer_forget(t, task);
			if (pid)
				t->ops->ended(t->ctx, pid, wstatus);
			return true;
		}
		if (task->fresh) {
			if (tracer_serve_fresh(t, task))
				task->state = TASK_HELD;
			return true;
		}
		if (s.kind == STOP_PTRACE_EVENT) {
			task->state = TASK_HELD;
			tracer_serve_event(t, task, s.arg);
			return true;
		}
	}
	return false;
}

/* The signal the task is owed when it goes on without us. */
static int owed_signal(const struct task *task)
{
	if (task->state != TASK_QUEUED)
		return 0;
	struct stop s = tracer_decode(task->tid, task->wstatus);
	return s.kind == STOP_SIGNAL ? s.arg : 0;
}

static void settle(struct tracer *t, struct task *task)
{
	bool trapped = task->state == TASK_QUEUED &&
		       tracer_decode(task->tid, task->wstatus).kind == STOP_TRAP;

	/* It will run into our trap again, or not, if that is to go. */
	if (t->ops->settle(t->ctx, task, trapped) && trapped)
		task->state = TASK_HELD;
}

void tracer_quiesce(struct tracer *t)
{
	struct task *task;

	while (stop_more(t) || serve_changes(t))
		;
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->space && task->state != TASK_PARKED)
			settle(t, task);
}

void tracer_continue(struct tracer *t)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->state == TASK_HELD)
			task_resume(t, task, 0);
}

void tracer_detach_all(struct tracer *t)
{
	struct task *task;

	tracer_quiesce(t);
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->space)
			t->ops->clean(t->ctx, task->space);
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i)); i = 0)
		tracer_let_go(t, task, owed_signal(task));
	t->n_queue = 0;
}

struct task *tracer_next_task(struct tracer *t, size_t *i)
{
	return tasks_next(&t->tasks, i);
}
