/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer, its tasks as they come and go, and its loop: queue.c fills the queue, serve.c serves
 * each stop. */
#include "attach/tracer.h"

#include "attach/follow.h"
#include "attach/tracer_internal.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>

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
	stop_cost_init(&t->cost);
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

void tracer_look_first(struct tracer *t, bool (*look)(void *ctx, pid_t pid), void *ctx)
{
	t->look = look;
	t->look_ctx = ctx;
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

int tracer_suspend_seccomp(const struct tracer *t, const struct task *task, bool on)
{
	intptr_t options = (intptr_t)tracer_options(t) | (on ? PTRACE_O_SUSPEND_SECCOMP : 0);

	return kernel_request(&t->kernel, PTRACE_SETOPTIONS, task->tid, NULL, (void *)options) ?
		       -errno :
		       0;
}

void tracer_look_often(struct tracer *t)
{
	t->looks_often = true;
}

void tracer_will_call(struct tracer *t)
{
	t->will_call = true;
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

uint64_t tracer_stopped_ns(const struct tracer *t)
{
	return t->stopped_ns;
}

uint64_t tracer_taken_ns(const struct tracer *t)
{
	return t->taken_ns;
}

uint64_t tracer_stops(const struct tracer *t)
{
	return t->stops;
}

/* ---- resuming ---- */

struct journal_who tracer_who(const struct task *task)
{
	return (struct journal_who){ task->tid, task->space ? task->space->pid : task->tgid };
}

/* If the request fails with ESRCH the task is being killed: waitpid will report that. */
void task_resume(struct tracer *t, struct task *task, int sig)
{
	journal_goes_on(t->journal, task->journal_record);
	task->state = TASK_RUNNING;
	task->in_call = false;
	kernel_resume(&t->kernel, t->at_syscalls ? PTRACE_SYSCALL : PTRACE_CONT, task->tid, sig);
	journal_went_on(t->journal, task->journal_record);
}

void task_listen(struct tracer *t, struct task *task)
{
	journal_stopped(t->journal, &task->journal_record, tracer_who(task));
	task->state = TASK_LISTENING;
	kernel_request(&t->kernel, PTRACE_LISTEN, task->tid, NULL, NULL);
}

/* ---- tasks and their spaces ---- */

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

/* ---- the loop ---- */

/* Serving may queue more (holding a space collects stops): those come in the next round. */
void tracer_serve_queue(struct tracer *t)
{
	size_t n = t->n_queue;

	for (size_t i = 0; i < n; i++) {
		struct task *task = tasks_find(&t->tasks, t->queue[i]);

		if (task && task->state == TASK_QUEUED)
			tracer_serve(t, task);
		tracer_take_overs(t);
	}
	for (size_t i = n; i < t->n_queue; i++)
		t->queue[i - n] = t->queue[i];
	t->n_queue -= n;
}

/* One round in EVERY is timed, for reading the clock twice takes a tenth of a stop. A long round,
 * such as one in which a file's symbols are read, is rare and counts once. */
static void serve_timed(struct tracer *t)
{
	enum { EVERY = 17, LONG_NS = 1000000 };

	if (t->cost.tid)
		t->came_ns = clock_now_ns();
	if (++t->rounds < EVERY) {
		tracer_serve_queue(t);
		return;
	}
	const uint64_t tasks = t->n_queue, begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	t->rounds = 0;
	tracer_serve_queue(t);
	const uint64_t took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;

	/* After some of these rounds the next one begins a sample, so that the cost of reading a
	 * task's processor time is in no timed round. */
	t->prices = t->stops % 4 == 0;

	t->stopped_ns += took * tasks * (took < LONG_NS * tasks ? EVERY : 1);
}

static int run(struct tracer *t, const volatile sig_atomic_t *stop)
{
	while (!*stop) {
		int err = tracer_wait_for_work(t, stop);
		if (err)
			return err;
		if (!t->tasks.n)
			return 0;
		if (!*stop)
			serve_timed(t);
	}
	return 0;
}

int tracer_run(struct tracer *t, const volatile sig_atomic_t *stop)
{
	int err = run(t, stop);

	tracer_look_seldom(t);
	follow_leave(t->follow);
	return err;
}
