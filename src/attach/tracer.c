/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/tracer.h"

#include "attach/tracer_internal.h"

#include "arch/arch.h"
#include "attach/follow.h"
#include "attach/sigmask.h"
#include "base/array.h"
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* A stop that is answered at once by a tracer still awake costs a third of one that has to wake
 * it: so stay awake this long after the last one. */
#define SPIN_NS 50000

struct tracer *tracer_new_on(const struct kernel *kernel, const struct tracer_ops *ops, void *ctx,
			     struct journal *journal)
{
	struct tracer *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->kernel = *kernel;
	t->ops = ops;
	t->ctx = ctx;
	t->journal = journal;
	return t;
}

struct tracer *tracer_new(const struct tracer_ops *ops, void *ctx, struct journal *journal)
{
	struct kernel kernel = kernel_of_system(journal);

	return tracer_new_on(&kernel, ops, ctx, journal);
}

void tracer_free(struct tracer *t)
{
	if (!t)
		return;
	follow_free(t->follow);
	tasks_release(&t->tasks);
	free(t->queue);
	free(t);
}

void tracer_set_wait(struct tracer *t, enum tracer_wait wait)
{
	t->wait = wait;
	if (wait == WAIT_FOLLOW && !t->follow)
		t->follow = follow_new();
}

void tracer_watch_exits(struct tracer *t)
{
	t->watch_exits = true;
}

void *tracer_options(const struct tracer *t)
{
	return (void *)(intptr_t)(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
				  PTRACE_O_TRACEEXEC | PTRACE_O_TRACEVFORKDONE |
				  PTRACE_O_TRACESYSGOOD |
				  (t->watch_exits ? PTRACE_O_TRACEEXIT : 0));
}

void tracer_stop_at_syscalls(struct tracer *t)
{
	t->at_syscalls = true;
}

bool tracer_has_tasks(const struct tracer *t)
{
	return t->tasks.n;
}

uint64_t tracer_attach_ns(const struct tracer *t)
{
	return t->attach_ns;
}

struct follow_counts tracer_follow_counts(const struct tracer *t)
{
	return follow_counts(t->follow);
}

uint64_t tracer_stops(const struct tracer *t)
{
	return t->stops;
}

/* ---- resuming ---- */

static struct journal_who tracer_who(const struct task *task)
{
	return (struct journal_who){ task->tid, task->space ? task->space->pid : task->tgid };
}

/* A request that fails with ESRCH meets a task that is being killed: waitpid will tell. */
void task_resume(struct tracer *t, struct task *task, int sig)
{
	journal_goes_on(t->journal, task->journal_record);
	task->state = TASK_RUNNING;
	kernel_resume(&t->kernel, t->at_syscalls ? PTRACE_SYSCALL : PTRACE_CONT, task->tid, sig);
	journal_went_on(t->journal, task->journal_record);
}

static void task_listen(struct tracer *t, struct task *task)
{
	journal_stopped(t->journal, &task->journal_record, tracer_who(task));
	task->state = TASK_LISTENING;
	kernel_request(&t->kernel, PTRACE_LISTEN, task->tid, NULL, NULL);
}

/* ---- what waitpid tells is queued, and served in the order in which it was told ---- */

/* For who looks after the program if we are killed. */
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
 * A task is about to end. It is not queued like other stops but goes on at once: another thread
 * that execs waits for its end, and whoever holds the space would wait for that thread.
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

	/* The number is another task's by now. */
	if (task && task_has_ended(task)) {
		tracer_serve_end(t, task);
		task = tasks_find(&t->tasks, tid);
	}
	if (WIFSTOPPED(wstatus) && wstatus >> 16 == PTRACE_EVENT_EXIT) {
		serve_exiting(t, task, tid);
		return 0;
	}

	if (!task) {
		/* A new task's first stop may overtake its parent's event. But what has ended
		 * without ever having been seen needs no record. */
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
		tracer_take_over(t, task);
		/* Whatever was written down of this number was of the old program. */
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

/* The kernel knows of nobody whom we trace any more: who is thought to run has ended unheard. What
 * has been heard of is still to be served. */
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

/* Take one thing that has happened, waiting for it unless @flags has WNOHANG. 1: taken; 0: nothing
 * (yet); -errno. */
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

/* Everything that has happened so far. Taking it all before serving any is what makes it fair:
 * the kernel always looks at the same task first. Of tasks that are all stopped, nothing can come
 * but their deaths, and those can wait. */
static int collect(struct tracer *t)
{
	int taken = 1;

	while (taken > 0 && t->n_queue < t->tasks.n)
		taken = take(t, WNOHANG);
	return taken < 0 ? taken : 0;
}

/* Whether it is time to sleep; *until: 0 at first. */
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

/* Wait until there is something in the queue, or @stop. */
static int wait_for_work(struct tracer *t, const volatile sig_atomic_t *stop)
{
	uint64_t until = 0;
	int err = 0;

	while (!err && !t->n_queue && !*stop && t->tasks.n) {
		bool sleep = tired(t, &until);

		err = take(t, sleep ? 0 : WNOHANG);
		if (!err && !sleep)
			/* the program may be waiting for this very processor */
			t->kernel.pause(t->kernel.ctx, 0);
		if (err > 0)
			err = 0;
	}
	return err ? err : collect(t);
}

/* ---- ends ---- */

void tracer_leave_space(struct tracer *t, struct task *task)
{
	struct address_space *s = task->space;

	t->ops->task_gone(t->ctx, task);
	task->space = NULL;
	if (s && task->exiting)
		s->exiting--;
	task->exiting = false;
	if (!s || --s->tasks)
		return;
	t->ops->space_gone(t->ctx, s);
	address_space_free(s);
}

void tracer_enter_space(struct task *task, struct address_space *s)
{
	task->space = s;
	s->tasks++;
	s->threaded |= task->tid != task->tgid;
}

void tracer_forget(struct tracer *t, struct task *task)
{
	tracer_leave_space(t, task);
	journal_forget(t->journal, &task->journal_record);
	tasks_remove(&t->tasks, task);
}

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

/* The next thing that happens to @tid. A leader that is killed is told of only when the others, who
 * are held, have been waited for, too. False: there is nobody to wait for. */
static bool await_told(struct tracer *t, pid_t tid, int *wstatus)
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
		if (!await_told(t, task->tid, &wstatus))
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
		/* A signal came first. Its handler shall run with the breakpoint in place; it
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
	/* The SIGTRAP of a step comes by force, too. */
	if (stepped && task->mask.blocks_all)
		sigmask_restore(&task->mask, &t->kernel, task->tid);
	tracer_unhold(t, task->space);
	if (task->state == TASK_SERVED)
		task_resume(t, task, 0);
}

/* Whether a plain SIGTRAP comes from a trap instruction. */
static bool is_trap(const struct tracer *t, pid_t tid, int wstatus)
{
	return tracer_decode(t, tid, wstatus).kind == STOP_TRAP;
}

/* The program gets the signal that it has stopped for. */
static void deliver(struct tracer *t, struct task *task, int sig)
{
	t->ops->settle(t->ctx, task, false);
	task->mask.entries = 0; /* a handler has a mask of its own */
	task_resume(t, task, sig);
}

/* A plain SIGTRAP: a breakpoint of ours, mostly. Its siginfo is asked for only if the pc leaves
 * doubt. */
static void serve_sigtrap(struct tracer *t, struct task *task)
{
	enum trap_answer a = t->ops->trap(t->ctx, task, false);

	if (a == TRAP_DOUBTFUL)
		a = is_trap(t, task->tid, task->wstatus) ? t->ops->trap(t->ctx, task, true) :
							   TRAP_NOT_OURS;
	if (a == TRAP_NOT_OURS) {
		deliver(t, task, SIGTRAP);
		return;
	}
	if (sigmask_is_due(&task->mask, a != TRAP_ENDS_CALL))
		sigmask_restore(&task->mask, &t->kernel, task->tid);
	if (a == TRAP_STEP)
		step_alone(t, task);
	else
		task_resume(t, task, 0);
}

/* ---- the loop ---- */

struct stop tracer_decode(const struct tracer *t, pid_t tid, int wstatus)
{
	siginfo_t si = { .si_code = SI_USER };

	if (stop_needs_siginfo(wstatus) &&
	    kernel_request(&t->kernel, PTRACE_GETSIGINFO, tid, NULL, &si))
		si.si_code = SI_USER;
	return stop_decode(tid, wstatus, si.si_code, arch_trap_code);
}

bool tracer_takes_signal(struct tracer *t, struct task *task, int sig)
{
	return t->ops->signal && task->space && t->ops->signal(t->ctx, task, sig);
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

static void serve(struct tracer *t, struct task *task)
{
	bool sigtrap = stop_needs_siginfo(task->wstatus);
	struct stop s = stop_decode(task->tid, task->wstatus, SI_USER, arch_trap_code);

	t->stops++;
	task->state = TASK_SERVED;
	if (!sigtrap)
		follow_leave(t->follow);
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
		if (tracer_serve_event(t, task, s.arg))
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

/* Serving may queue more (holding a space collects stops): those come in the next round. */
static void serve_queue(struct tracer *t)
{
	size_t n = t->n_queue;

	for (size_t i = 0; i < n; i++) {
		struct task *task = tasks_find(&t->tasks, t->queue[i]);

		if (task && task->state == TASK_QUEUED)
			serve(t, task);
	}
	for (size_t i = n; i < t->n_queue; i++)
		t->queue[i - n] = t->queue[i];
	t->n_queue -= n;
}

static int run(struct tracer *t, const volatile sig_atomic_t *stop)
{
	while (!*stop) {
		int err = wait_for_work(t, stop);
		if (err)
			return err;
		if (!t->tasks.n)
			return 0;
		if (!*stop)
			serve_queue(t);
	}
	return 0;
}

int tracer_run(struct tracer *t, const volatile sig_atomic_t *stop)
{
	int err = run(t, stop);

	follow_leave(t->follow);
	return err;
}
