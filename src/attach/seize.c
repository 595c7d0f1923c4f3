/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching: all threads of a running process are seized and held, and its image begins. */
#include "attach/tracer_internal.h"

#include "attach/census.h"
#include "attach/seize_thread.h"
#include "attach/target.h"
#include "attach/workers.h"
#include "base/clock.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <unistd.h>

enum {
	SEIZE_TRIES = 20,	/* if we seem to have no permission */
	EXEC_TRIES = 2000,	/* if we have: the thread may have ended in an exec */
	ATTACH_TRIES = 20,
	READINGS_AT_ONCE = 50,	/* without a yield, of a list where no thread could be seized */
	READINGS_IN_VAIN = 5000, /* then threads come and go faster than we seize them */
	REFUSED_NS = 1000000,	/* between two tries */
};

static bool is_there(pid_t pid)
{
	struct target_facts f = target_look(pid);

	return f.exists && f.live_threads;
}

/* ---- all of them ---- */

/* Is the thread in our table, and not another one by now? In an exec an unseized thread may take
 * over the leader's tid; and the tid of one that has ended may have been reused. */
static bool is_ours(struct tracer *t, pid_t tid, pid_t pid)
{
	struct task *task = tasks_find(&t->tasks, tid);

	if (!task ||
	    (tid == pid ? kernel_says_ours(&t->kernel, tid) : !task_has_ended(task)))
		return task;
	tracer_forget(t, task);
	return false;
}

/* Try to seize a thread that is not ours yet, and count it. 0, or -ENOMEM. */
static int count_in(struct tracer *t, pid_t tid, pid_t pid, struct census *c)
{
	struct thread_facts f = { .err = seize_thread(t, tid, pid) };

	if (f.err == -ENOMEM)
		return f.err;
	if (f.err) {
		struct proc_status now = kernel_status(&t->kernel, tid);

		f.tracer = now.tracer;
		f.state = now.state;
	}
	census_add(c, thread_kind(&f, getpid()), !f.err);
	return 0;
}

struct reading {
	struct tracer *t;
	pid_t pid;
	struct census *c;
	struct workers workers;
};

static int count_thread(void *arg, pid_t tid)
{
	struct reading *r = arg;

	if (is_ours(r->t, tid, r->pid)) {
		census_add(r->c, THREAD_OURS, false);
		return 0;
	}
	if (r->t->kernel.is_worker(r->t->kernel.ctx, tid))
		return workers_add(&r->workers, tid);
	return count_in(r->t, tid, r->pid, r->c);
}

/* Read the list once, and seize the threads that are not ours yet. How many the process has then
 * (less than 1: it is gone), or -errno in @err. */
static long take_census(struct tracer *t, pid_t pid, struct census *c, int *err)
{
	struct reading r = { .t = t, .pid = pid, .c = c };

	*err = t->kernel.each_task(t->kernel.ctx, pid, count_thread, &r);
	const long threads = *err ? 0 : (long)kernel_status(&t->kernel, pid).threads;
	c->known += workers_there(&r.workers, &t->kernel);
	workers_release(&r.workers);
	return threads;
}

static bool may_seize(const struct tracer *t, pid_t pid)
{
	return t->kernel.permits(t->kernel.ctx, pid);
}

int tracer_seize_all(struct tracer *t, pid_t pid, uint64_t *stopped_ns)
{
	unsigned in_vain = 0, refused = 0;
	bool held = false;

	for (;;) {
		struct census c = { 0 };
		int err;
		const long threads = take_census(t, pid, &c, &err);

		if (err)
			return err;
		in_vain = c.seized ? 0 : in_vain + 1;
		refused = c.refused ? refused + 1 : 0;
		switch (census_judge(&c, threads, held)) {
		case CENSUS_COMPLETE:
			return 0;
		case CENSUS_HOLD:
			*stopped_ns = *stopped_ns ? *stopped_ns : clock_now_ns();
			tracer_hold(t, NULL, NULL);
			held = true;
			break;
		case CENSUS_AGAIN:
			held = held && !c.seized;
			if (in_vain > READINGS_IN_VAIN)
				return -EAGAIN;
			if (in_vain > READINGS_AT_ONCE)
				t->kernel.pause(t->kernel.ctx, 0);
			break;
		case CENSUS_TRACED:
			return -EBUSY;
		case CENSUS_REFUSED:
			/* The thread may have ended in an exec. */
			if (refused > EXEC_TRIES || (refused > SEIZE_TRIES && !may_seize(t, pid)))
				return -EPERM;
			t->kernel.pause(t->kernel.ctx, REFUSED_NS);
			break;
		case CENSUS_GONE:
			return -ESRCH;
		}
	}
}

/* The same, with the alarm that keeps PTRACE_SEIZE and an exec from waiting for each other. */
int tracer_seize_and_hold(struct tracer *t, pid_t pid, uint64_t *stopped_ns)
{
	struct seize_alarm alarm;
	int err = seize_begin(t, &alarm);

	if (err)
		return err;
	err = tracer_seize_with_guests(t, pid, stopped_ns);
	seize_end(&alarm);
	return err;
}

/* The space, if we trace it already, in whose memory a process runs: it is a child of vfork(2)
 * before its exec. NULL: none, it has its own. */
static struct address_space *space_of_other(struct tracer *t, pid_t pid)
{
	const struct address_space *looked = NULL;
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->tgid == pid || !task->space || task->space == looked)
			continue;
		looked = task->space;
		if (tracer_shares_memory(t, task->tid, pid))
			return task->space;
	}
	return NULL;
}

/* The space of a process whose threads have been seized; any of them may end at any time. */
static struct address_space *space_of_group(struct tracer *t, pid_t pid)
{
	struct address_space *s = NULL;
	struct task *task;

	for (size_t i = 0; !s && (task = tasks_next(&t->tasks, &i));)
		if (task->tgid == pid)
			s = t->kernel.open_space(t->kernel.ctx, task->tid);
	/* The thread may end before the process does. */
	if (!s)
		return NULL;
	s->pid = pid;
	tracer_enter_with_guests(t, pid, s);
	return s;
}

/* A task of the process that is not running: stopped or, if there is none, asleep. */
static struct task *resting_task(struct tracer *t, pid_t pid)
{
	struct task *task, *asleep = NULL;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->tgid != pid || !task->space)
			continue;
		if (task_has_stopped(task))
			return task;
		if (task->in_vfork)
			asleep = task;
	}
	return asleep;
}

/* A task of the process that can be made to make system calls; NULL: none can. */
static struct task *calling_task(struct tracer *t, pid_t pid)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->tgid == pid && task->space && tracer_can_call(t, task))
			return task;
	return NULL;
}

/* The space that its tasks are in by now, which is another one if it has executed a program. */
static struct address_space *space_now(struct tracer *t, pid_t pid)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->tgid == pid && task->space && !task_has_ended(task))
			return task->space;
	return NULL;
}

/* Serve what tasks have stopped for, and stop them again, until one can make system calls. */
static void await_calling_task(struct tracer *t, pid_t pid)
{
	enum { TRIES = 100, NAP_NS = 100000 };

	for (unsigned i = 0; i < TRIES && space_now(t, pid) && !calling_task(t, pid); i++)
		tracer_let_run(t, NAP_NS);
}

/* ---- the held process ---- */

/*
 * Was it seized in the middle of an exec, whose event is still queued? What we put into the memory
 * now would be taken for the program's own when the event is served.
 */
static bool is_in_exec(const struct task *task)
{
	return task->state == TASK_QUEUED && task->wstatus >> 16 == PTRACE_EVENT_EXEC;
}

/* Tell the owner of the image. False: it does not want it. */
static bool begin_image(struct tracer *t, struct task *task)
{
	if (!is_in_exec(task)) {
		bool keep = t->ops->image(t->ctx, task);

		tracer_unhold(t, NULL);
		return keep;
	}
	task->state = TASK_HELD;
	bool keep = tracer_serve_event(t, task, PTRACE_EVENT_EXEC);
	/* Tasks of other processes were stopped, too. */
	tracer_unhold(t, NULL);
	return keep;
}

/* Is it a child of vfork(2)? Its parent, which is not to be traced, would hit our breakpoints. */
static bool runs_in_parents_memory(const struct tracer *t, pid_t pid)
{
	return tracer_shares_memory(t, pid, kernel_status(&t->kernel, pid).ppid);
}

/* The process has run for a moment: choose again the task that everything is done with, as attach()
 * does. Returns 0, 1 (it has executed a program, and has an image) or -ESRCH. */
static int choose_again(struct tracer *t, pid_t pid, struct task **task)
{
	const struct address_space *s = space_now(t, pid);

	if (s && s->user)
		return 1;
	*task = s && t->will_call ? calling_task(t, pid) : NULL;
	if (s && !*task)
		*task = resting_task(t, pid);
	return *task ? 0 : -ESRCH;
}

static int await_task_that_can_call(struct tracer *t, pid_t pid, struct task **task)
{
	if (!t->will_call || is_in_exec(*task))
		return 0;
	await_calling_task(t, pid);
	return choose_again(t, pid, task);
}

/* Call the look of tracer_look_first(), right before anything is planted. Returns as
 * choose_again(). */
static int look_first(struct tracer *t, pid_t pid, struct task **task, uint64_t *stopped_ns)
{
	enum { MOMENT_NS = 1000000, MOMENTS_MAX = 16 };
	int err = await_task_that_can_call(t, pid, task);
	unsigned moments = 1;

	while (!err && t->look && !is_in_exec(*task) && t->look(t->look_ctx, pid)) {
		/* A task in the middle of something may have to wait for a processor first. */
		tracer_let_run(t, moments * MOMENT_NS);
		moments = moments < MOMENTS_MAX ? 2 * moments : moments;
		*stopped_ns = clock_now_ns();
		err = choose_again(t, pid, task);
		if (!err)
			err = await_task_that_can_call(t, pid, task);
	}
	return err;
}

static int attach(struct tracer *t, pid_t pid)
{
	uint64_t stopped_ns = 0;
	int err = tracer_seize_and_hold(t, pid, &stopped_ns);

	if (err) {
		tracer_detach_process(t, pid);
		return err;
	}
	struct address_space *s = space_of_other(t, pid);
	if (s) { /* its breakpoints are in place; it has an image when it executes a program */
		tracer_enter_with_guests(t, pid, s);
		tracer_unhold(t, NULL);
		return 0;
	}
	if (runs_in_parents_memory(t, pid)) {
		tracer_detach_process(t, pid);
		return -EADDRINUSE;
	}
	/* Other processes that share this memory would die of the first breakpoint. */
	err = tracer_seize_sharers(t, pid, &stopped_ns);
	if (err) {
		tracer_give_back(t, pid);
		return err;
	}
	errno = 0;
	s = space_of_group(t, pid);
	/* /proc/PID/mem may be another user's file: permission to trace does not open it. */
	const bool forbidden = !s && errno == EACCES;
	struct task *task = s ? resting_task(t, pid) : NULL;
	if (!task) {
		tracer_give_back(t, pid);
		return forbidden && is_there(pid) ? -EACCES : -ESRCH;
	}
	tracer_enter_with_sharers(t, s);
	err = look_first(t, pid, &task, &stopped_ns);
	if (err < 0) {
		tracer_give_back(t, pid);
		return err;
	}
	if (err) {
		tracer_unhold(t, NULL);
		return 0;
	}
	bool keep = begin_image(t, task);
	uint64_t ns = clock_now_ns() - stopped_ns;
	if (t->attach_ns < ns)
		t->attach_ns = ns;
	return keep ? 0 : -ENOEXEC;
}

int tracer_attach(struct tracer *t, pid_t pid)
{
	int err = attach(t, pid);

	/* An exec by a thread that was not seized yet leaves us without a tracee: the process is
	 * still there, so try again. */
	for (int i = 0; i < ATTACH_TRIES && err == -ESRCH && is_there(pid); i++)
		err = attach(t, pid);
	return err;
}
