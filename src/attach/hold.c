/* SPDX-License-Identifier: BSD-2-Clause */
/* Stopping all tasks of a space at once. */
#include "attach/tracer_internal.h"

#include "attach/awaited.h"
#include "attach/pending.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* Note what waitpid reports while tasks are being held. The stop that PTRACE_INTERRUPT asks for is
 * consumed; what came before it is queued. */
static void note_while_holding(struct tracer *t, pid_t tid, int wstatus)
{
	struct task *task = tasks_find(&t->tasks, tid);

	if (task && !task->fresh && WIFSTOPPED(wstatus) &&
	    tracer_decode(t, tid, wstatus).kind == STOP_HELD) {
		task->state = TASK_HELD;
		task_heard_of(task);
		return;
	}
	tracer_note(t, tid, wstatus);
}

/* Find leaders that have ended while their threads go on: waitpid does not report them. */
static void look_for_ended_leaders(struct tracer *t, const struct address_space *s,
				   const struct task *except)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (is_awaited(task, s, except) && task->tid == task->tgid) {
			struct proc_status now = kernel_status(&t->kernel, task->tid);

			task->over = !proc_status_lives(&now);
		}
}

/* Find the tasks that were asleep in vfork(2) when they were seized. */
static void look_for_sleepers(struct tracer *t, const struct address_space *s,
			      const struct task *except)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->silent && is_awaited(task, s, except))
			task->in_vfork = t->kernel.sleeps_in_vfork(t->kernel.ctx, task->tid);
}

/* A task stops within microseconds; or it has ended, or sleeps, which waitpid does not report. */
static void look_again_later(struct tracer *t, const struct address_space *s,
			     const struct task *except, unsigned looks)
{
	enum { AT_ONCE = 100, NAP_NS = 1000000 };

	if (looks < AT_ONCE) {
		t->kernel.pause(t->kernel.ctx, 0);
		return;
	}
	look_for_ended_leaders(t, s, except);
	look_for_sleepers(t, s, except);
	t->kernel.pause(t->kernel.ctx, NAP_NS);
}

/*
 * Wait until no task of the space (NULL: of any) runs. Wait for any task, never for one in
 * particular: a thread in the middle of an exec stops only after its siblings have been waited for.
 */
static void await_all(struct tracer *t, const struct address_space *s, const struct task *except)
{
	enum awaited whom;

	t->holding = true;
	for (unsigned looks = 0; (whom = awaited(&t->tasks, s, except)) != AWAITED_NOBODY;) {
		bool look = whom == AWAITED_UNTOLD;
		int wstatus;
		pid_t tid = kernel_wait(&t->kernel, -1, &wstatus, look ? WNOHANG : 0);

		if (tid > 0)
			note_while_holding(t, tid, wstatus);
		else if (tid == 0)
			look_again_later(t, s, except, looks++);
		else if (errno == ECHILD)
			tracer_forget_running(t);
		else if (errno != EINTR)
			break;
	}
	t->holding = false;
}

void tracer_hold(struct tracer *t, struct address_space *s, const struct task *except)
{
	struct task *task;

	tracer_take_overs(t);
	/* First ask all, then wait for all: the answers come while the others are asked. */
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (is_awaited(task, s, except))
			kernel_request(&t->kernel, PTRACE_INTERRUPT, task->tid, NULL, NULL);
	await_all(t, s, except);
}

void tracer_unhold(struct tracer *t, struct address_space *s)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if ((!s || task->space == s) && task->state == TASK_HELD)
			task_resume(t, task, 0);
}

bool tracer_still(struct tracer *t, struct address_space *s)
{
	struct task *task;

	if (t->holding)
		return false;
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		task->stilled = is_awaited(task, s, NULL);
	tracer_hold(t, s, NULL);
	return true;
}

void tracer_stir(struct tracer *t)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->stilled && task->state == TASK_HELD)
			task_resume(t, task, 0);
		task->stilled = false;
	}
}

/* ---- all of them, with what is pending ---- */

/* May a breakpoint's SIGTRAP still be pending? If the task is held, or in a group stop, which comes
 * before a pending signal. */
static bool may_owe_trap(const struct tracer *t, const struct task *task)
{
	return task->state == TASK_HELD ||
	       (task->state == TASK_QUEUED &&
		tracer_decode(t, task->tid, task->wstatus).kind == STOP_GROUP);
}

/* Let tasks with a pending SIGTRAP go on until they stop for it: they run nothing before that.
 * True: there was one. */
static bool await_pending_traps(struct tracer *t)
{
	struct task *task;
	bool any = false;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (!may_owe_trap(t, task) || !pending_trap(&t->kernel, task->tid))
			continue;
		task->group_stopped = task->state == TASK_QUEUED;
		task_resume(t, task, 0);
		any = true;
	}
	await_all(t, NULL, NULL);
	return any;
}

/* New tasks appear while the known ones are being stopped: to be repeated until there is nothing to
 * do. */
static bool stop_more(struct tracer *t)
{
	struct task *task;
	bool more = false;

	tracer_take_overs(t);
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if ((task->state != TASK_RUNNING && task->state != TASK_LISTENING) ||
		    task->in_vfork || task->over)
			continue;
		kernel_request(&t->kernel, PTRACE_INTERRUPT, task->tid, NULL, NULL);
		task->state = TASK_RUNNING;
		more = true;
	}
	if (more)
		await_all(t, NULL, NULL);
	return more;
}

/* Serve queued clone, fork, exec and exit events, which change the set of tasks. True: one was
 * served. */
static bool serve_changes(struct tracer *t)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->state != TASK_QUEUED)
			continue;
		struct stop s = tracer_decode(t, task->tid, task->wstatus);
		if (s.kind == STOP_EXITED || s.kind == STOP_KILLED) {
			tracer_serve_end(t, task);
			return true;
		}
		if (task->fresh) {
			if (tracer_serve_fresh(t, task))
				task->state = TASK_HELD;
			return true;
		}
		if (s.kind == STOP_PTRACE_EVENT) {
			task->state = TASK_HELD;
			task->in_call = true;
			tracer_serve_event(t, task, s.arg);
			return true;
		}
	}
	return false;
}

static void settle(struct tracer *t, struct task *task)
{
	bool trapped = task->state == TASK_QUEUED &&
		       tracer_decode(t, task->tid, task->wstatus).kind == STOP_TRAP;

	/* Serving it was cut short by an error of our own. */
	if (task->state == TASK_SERVED)
		trapped = stop_needs_siginfo(task->wstatus);

	/* The pc is back at the breakpoint: the task will hit it again, unless it has been removed
	 * by then. */
	if (t->ops->settle(t->ctx, task, trapped) && trapped)
		task->state = TASK_HELD;
}

void tracer_stop_all(struct tracer *t)
{
	struct task *task;

	/* A stopped task may have hit a breakpoint just before, with the SIGTRAP still pending. */
	do
		while (stop_more(t) || serve_changes(t))
			;
	while (await_pending_traps(t));
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->space && task->state != TASK_PARKED && task->state != TASK_RUNNING)
			settle(t, task);
}

void tracer_continue(struct tracer *t)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->state != TASK_HELD)
			continue;
		/* Have it enter its group stop again before it runs. */
		if (task->group_stopped)
			kernel_request(&t->kernel, PTRACE_INTERRUPT, task->tid, NULL, NULL);
		task->group_stopped = false;
		task_resume(t, task, 0);
	}
}

/* Serve stops until the tasks run undisturbed. A program that gets signals all the time, one in
 * each moment that it may run, would otherwise never run any code of its own. */
static int serve_until_quiet(struct tracer *t)
{
	enum { QUIET = 100, MOST = 1000 };
	int err = 0;

	for (unsigned served = 0, looks = 0; !err && looks < QUIET && served < MOST; looks++) {
		err = tracer_collect(t);
		if (err || (!t->n_queue && !served))
			break;
		if (t->n_queue) {
			tracer_serve_queue(t);
			served++;
			looks = 0;
		}
		t->kernel.pause(t->kernel.ctx, 0);
	}
	return err;
}

void tracer_let_run(struct tracer *t, uint64_t ns)
{
	tracer_continue(t);
	if (!serve_until_quiet(t)) {
		t->kernel.pause(t->kernel.ctx, ns);
		serve_until_quiet(t);
	}
	tracer_stop_all(t);
}

void tracer_interrupt(struct tracer *t, const struct task *task)
{
	if (task->state == TASK_RUNNING)
		kernel_request(&t->kernel, PTRACE_INTERRUPT, task->tid, NULL, NULL);
}

struct task *tracer_find_task(struct tracer *t, pid_t tid)
{
	return t ? tasks_find(&t->tasks, tid) : NULL;
}

struct task *tracer_next_task(struct tracer *t, size_t *i)
{
	return t ? tasks_next(&t->tasks, i) : NULL;
}
