/* SPDX-License-Identifier: BSD-2-Clause */
/* Letting programs go for good. */
#include "attach/tracer_internal.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

/* The signal to deliver to the task when it is detached; 0: none. */
static int owed_signal(struct tracer *t, struct task *task)
{
	if (task->state != TASK_QUEUED)
		return 0;
	struct stop s = tracer_decode(t, task->tid, task->wstatus);
	if (s.kind == STOP_SIGNAL && tracer_takes_signal(t, task, s.arg))
		return 0;
	/* A trap that is still queued after settling is the program's own. */
	return s.kind == STOP_SIGNAL || s.kind == STOP_TRAP || s.kind == STOP_STEPPED ? s.arg : 0;
}

/* A leader that has ended while its threads go on, a task that has been killed, or one whose tid
 * was taken over, in an exec, by a thread that is not ours. */
static bool is_gone(const struct tracer *t, const struct task *task)
{
	return task->over || (!task->in_vfork && !kernel_says_ours(&t->kernel, task->tid));
}

static void let_go_if_told(struct tracer *t, pid_t tid, int wstatus)
{
	tracer_note(t, tid, wstatus);

	struct task *task = tasks_find(&t->tasks, tid);
	if (!task)
		return;
	if (!WIFSTOPPED(wstatus))
		tracer_serve_end(t, task);
	else
		tracer_let_go(t, task, owed_signal(t, task));
}

static void forget_gone(struct tracer *t)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (is_gone(t, task)) {
			tracer_forget(t, task);
			i = 0; /* the table has changed */
		}
}

/* Are there tasks to be waited for? @sleepers: those that sleep in vfork(2), too. */
static bool is_rest(const struct tracer *t, bool sleepers)
{
	const struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (sleepers || !task->in_vfork)
			return true;
	return false;
}

/*
 * Tasks that were killed while being detached have to be waited for. Those that sleep in vfork(2)
 * can be detached when their children, which are free now, have exec'ed or ended. If a child takes
 * longer than we wait, its parent remains our tracee until we exit, but nothing of ours is left in
 * its memory.
 */
static void let_go_of_rest(struct tracer *t, bool sleepers)
{
	enum { ROUNDS = 200, NAP_NS = 10000000 };
	struct task *task;

	for (unsigned round = 0; is_rest(t, sleepers) && round < ROUNDS; round++) {
		int wstatus;
		pid_t tid;

		while ((tid = kernel_wait(&t->kernel, -1, &wstatus, WNOHANG)) > 0)
			let_go_if_told(t, tid, wstatus);
		forget_gone(t);
		if (is_rest(t, sleepers))
			t->kernel.pause(t->kernel.ctx, NAP_NS);
	}
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i)); i = 0)
		tracer_forget(t, task);
}

/* Take everything of ours out of one process, or of all (@pid 0). False: a task is executing code
 * of ours. */
static bool clean(struct tracer *t, pid_t pid)
{
	const struct address_space *last = NULL;
	struct task *task;
	bool done = true;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		/* Mostly all tasks share one space, and cleaning it inspects each of them. */
		if (!task->space || task->space == last || (pid && task->tgid != pid))
			continue;
		last = task->space;
		done &= t->ops->clean(t->ctx, task->space);
	}
	return done;
}

/* Stop all tasks and clean. A task that does not leave our code in time stays there: then that code
 * is left in place, and is harmless. */
static void stop_and_clean(struct tracer *t, pid_t pid)
{
	enum { ROUNDS = 4000, NAP_NS = 500000 };

	tracer_stop_all(t);
	for (unsigned round = 0; !clean(t, pid) && round < ROUNDS; round++)
		tracer_let_run(t, NAP_NS);
}

void tracer_let_stopped_go(struct tracer *t, pid_t pid)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->tgid == pid && task->state != TASK_RUNNING && !task_has_ended(task)) {
			tracer_let_go(t, task, owed_signal(t, task));
			i = 0; /* the table has changed */
		}
}

static void detach_all(struct tracer *t, bool sleepers)
{
	struct task *task;

	stop_and_clean(t, 0);
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->state != TASK_RUNNING) {
			tracer_let_go(t, task, owed_signal(t, task));
			i = 0; /* the table has changed */
		}
	let_go_of_rest(t, sleepers);
	t->n_queue = 0;
}

void tracer_detach_all(struct tracer *t)
{
	detach_all(t, true);
}

void tracer_leave_all(struct tracer *t)
{
	detach_all(t, false);
}

static const struct address_space *space_of_process(struct tracer *t, pid_t pid)
{
	const struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->tgid == pid && task->space)
			return task->space;
	return NULL;
}

/* Is it a task of the process, or of one that shares its memory, @s; or one that was seized with
 * it, if it has no space yet? */
static bool goes_too(const struct task *task, pid_t pid, const struct address_space *s)
{
	return task->tgid == pid || (task->space ? task->space == s : !task->fresh);
}

static bool has_others(struct tracer *t, pid_t pid, const struct address_space *s)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (!goes_too(task, pid, s))
			return true;
	return false;
}

/* Tasks that sleep in vfork(2) are detached when they report its end: tracer_serve_event(). */
static void leave_sleepers(struct tracer *t, pid_t pid, const struct address_space *s)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (!goes_too(task, pid, s) || !task->in_vfork)
			continue;
		task->silent = false;
		if (task->space)
			tracer_leave_space(t, task);
	}
}

void tracer_detach_process(struct tracer *t, pid_t pid)
{
	const struct address_space *s = space_of_process(t, pid);
	struct task *task;

	if (!has_others(t, pid, s)) {
		tracer_detach_all(t);
		return;
	}
	stop_and_clean(t, pid);
	s = space_of_process(t, pid);
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (goes_too(task, pid, s) && task->state != TASK_RUNNING) {
			tracer_let_go(t, task, owed_signal(t, task));
			i = 0; /* the table has changed */
		}
	leave_sleepers(t, pid, s);
	tracer_continue(t);
}
