/* SPDX-License-Identifier: BSD-2-Clause */
/* How each kind of stop is served. Clone, fork, vfork and exec events are in new_tasks.c. */
#include "attach/tracer_internal.h"

#include "arch/arch.h"
#include "attach/follow.h"
#include "attach/sigmask.h"
#include "base/clock.h"
#include "proc/stat.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

struct stop tracer_decode(const struct tracer *t, pid_t tid, int wstatus)
{
	siginfo_t si = { .si_code = SI_USER };

	if (stop_needs_siginfo(wstatus) &&
	    kernel_request(&t->kernel, PTRACE_GETSIGINFO, tid, NULL, &si))
		si.si_code = SI_USER;
	return stop_decode(tid, wstatus, si.si_code, arch_trap_code);
}

/* ---- ends ---- */

void tracer_serve_end(struct tracer *t, struct task *task)
{
	bool leader = task->tid == task->tgid;
	pid_t pid = task->tid;
	int wstatus = task->wstatus;

	task->state = TASK_SERVED;
	if (task->space)
		tracer_place_orphans(t, task);
	tracer_forget(t, task);
	if (leader)
		t->ops->ended(t->ctx, pid, wstatus);
}

/* ---- traps ---- */

/* Wait for all tasks, not for @tid alone: a killed leader is reported only when its threads, which
 * are held, have been waited for. */
bool tracer_await_told(struct tracer *t, pid_t tid, int *wstatus)
{
	for (;;) {
		pid_t got = kernel_wait(&t->kernel, -1, wstatus, 0);

		if (got == tid)
			return true;
		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			tracer_note(t, got, *wstatus);
	}
}

static void wait_stepped(struct tracer *t, struct task *task, bool *stepped)
{
	int wstatus, sig = 0;

	*stepped = false;
	journal_steps(t->journal, task->journal_record);
	for (;;) {
		if (kernel_resume(&t->kernel, PTRACE_SINGLESTEP, task->tid, sig))
			return;
		if (!tracer_await_told(t, task->tid, &wstatus))
			return;
		struct stop s = tracer_decode(t, task->tid, wstatus);
		if (s.kind == STOP_STEPPED) {
			*stepped = true;
			return;
		}
		if (s.kind == STOP_HELD) {
			/* The answer to an earlier PTRACE_INTERRUPT came first. */
			sig = 0;
			continue;
		}
		/* A signal came first. Its handler is to run with the breakpoint in place, and
		 * returns to it. */
		tracer_note(t, task->tid, wstatus);
		return;
	}
}

static void step_alone(struct tracer *t, struct task *task)
{
	bool stepped;

	tracer_hold(t, task->space, task);
	t->ops->alone(t->ctx, task, true, false);
	wait_stepped(t, task, &stepped);
	t->ops->alone(t->ctx, task, false, stepped);
	/* The SIGTRAP of a step is forced, too. */
	if (stepped && task->mask.blocks_all)
		sigmask_restore(&task->mask, &t->kernel, task->tid);
	tracer_unhold(t, task->space);
	if (task->state == TASK_SERVED)
		task_resume(t, task, 0);
}

/* Does a plain SIGTRAP come from a trap instruction? */
static bool is_trap(const struct tracer *t, pid_t tid, int wstatus)
{
	return tracer_decode(t, tid, wstatus).kind == STOP_TRAP;
}

/* Deliver the signal that the task has stopped for. */
static void deliver(struct tracer *t, struct task *task, int sig)
{
	t->ops->settle(t->ctx, task, false);
	task->mask.entries = 0; /* a handler has a mask of its own */
	task_resume(t, task, sig);
}

/* A task is about to be resumed: end the sample of the stop's cost, or begin one. */
static void price(struct tracer *t, const struct task *task, bool ends)
{
	if (!t->cost.tid && !t->prices)
		return;
	const uint64_t ran = procstat_ran(task->tid);

	if (t->cost.tid) {
		stop_cost_comes(&t->cost, task->tid, ends, ran, t->came_ns);
	} else if (!ends && ran) {
		t->prices = false;
		stop_cost_goes(&t->cost, task->tid, ran, clock_now_ns());
	}
}

/* A plain SIGTRAP: a breakpoint of ours, mostly. Its siginfo is read only if the pc leaves
 * doubt. */
static void serve_sigtrap(struct tracer *t, struct task *task)
{
	enum trap_answer a = t->ops->trap(t->ctx, task, false);

	if (a == TRAP_DOUBTFUL)
		a = is_trap(t, task->tid, task->wstatus) ? t->ops->trap(t->ctx, task, true) :
							   TRAP_NOT_OURS;
	/* The task has ended, or was stopped by job control, while it made a system call for us:
	 * that is queued. */
	if (task->state != TASK_SERVED)
		return;
	if (a == TRAP_NOT_OURS) {
		deliver(t, task, SIGTRAP);
		return;
	}
	if (sigmask_is_due(&task->mask, a != TRAP_ENDS_CALL))
		sigmask_restore(&task->mask, &t->kernel, task->tid);
	price(t, task, a == TRAP_ENDS_CALL);
	if (a == TRAP_STEP)
		step_alone(t, task);
	else
		task_resume(t, task, 0);
}

/* ---- all others ---- */

bool tracer_takes_signal(struct tracer *t, struct task *task, int sig)
{
	return t->ops->signal && task->space && t->ops->signal(t->ctx, task, sig);
}

bool tracer_stopped_by_fault(struct tracer *t, const struct task *task)
{
	siginfo_t si;

	return !kernel_request(&t->kernel, PTRACE_GETSIGINFO, task->tid, NULL, &si) &&
	       signal_is_fault(&si);
}

static void serve_signal(struct tracer *t, struct task *task, int sig)
{
	if (tracer_takes_signal(t, task, sig)) {
		task_resume(t, task, 0);
		return;
	}
	deliver(t, task, sig);
}

static void serve_syscall(struct tracer *t, struct task *task)
{
	struct syscall_call c;

	if (syscall_stopped(&t->kernel, task->tid, &task->call, &t->n_syscalls, &c))
		t->ops->syscall(t->ctx, task, &c);
	task_resume(t, task, 0);
}

void tracer_serve(struct tracer *t, struct task *task)
{
	bool sigtrap = stop_needs_siginfo(task->wstatus);
	struct stop s = stop_decode(task->tid, task->wstatus, SI_USER, arch_trap_code);

	t->stops++;
	t->taken_ns += t->cost.own_ns;
	t->stopped_ns += t->cost.away_ns;
	task->state = TASK_SERVED;
	if (!sigtrap) {
		follow_leave(t->follow);
		t->cost.tid = 0;
	}
	if (s.kind == STOP_EXITED || s.kind == STOP_KILLED) {
		tracer_serve_end(t, task);
		return;
	}
	if (task->fresh && !tracer_serve_fresh(t, task))
		return;
	if (sigtrap) {
		follow_stopped(t->follow, task->tid);
		serve_sigtrap(t, task);
		return;
	}
	switch (s.kind) {
	case STOP_PTRACE_EVENT:
		/* tracer_leave_exec() may have queued the next stop already. */
		if (tracer_serve_event(t, task, s.arg) && task->state != TASK_QUEUED &&
		    task->state != TASK_RUNNING)
			task_resume(t, task, 0);
		return;
	case STOP_SYSCALL:
		serve_syscall(t, task);
		return;
	case STOP_GROUP:
		task_listen(t, task);
		return;
	case STOP_HELD:
		task_resume(t, task, 0);
		return;
	default:
		serve_signal(t, task, s.arg);
		return;
	}
}
