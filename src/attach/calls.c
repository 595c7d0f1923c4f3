/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls that the tracer has a stopped task make. */
#include "attach/tracer_internal.h"

#include "arch/arch.h"
#include "proc/maps.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static int find_vdso(const struct proc_map *m, void *ctx)
{
	struct proc_map *out = ctx;

	if (strcmp(m->path, "[vdso]") != 0)
		return 0;
	*out = *m;
	out->path = NULL;
	return 1;
}

int tracer_syscall_insn(const struct address_space *s, pid_t tid, taddr *insn_at)
{
	struct proc_map vdso = { 0 };
	uint8_t code[4096];

	const int found = proc_maps_each(tid, find_vdso, &vdso);

	if (found != 1)
		return found ? found : -ENOSYS;
	for (taddr at = vdso.start; at < vdso.end; at += sizeof code) {
		ssize_t got = address_space_read(s, at, code, sizeof code);
		ssize_t insn = got > 0 ? arch_find_syscall(code, (size_t)got) : -ENOENT;

		if (insn < 0)
			continue;
		*insn_at = at + (taddr)insn;
		return 0;
	}
	return -ENOSYS;
}

/* ---- which task can make them ---- */

/* Since Linux 6.4, see linux/ptrace.h. */
#define GET_DISPATCH 0x4211

struct dispatch {
	uint64_t mode, selector, offset, len;
};

/*
 * Are the task's system calls given back to the program, as a SIGSYS? Ours would be, too. As that
 * signal is forced while all are blocked, the kernel would reset its handler, and the program would
 * die of its next one.
 */
static bool dispatches(const struct tracer *t, const struct task *task)
{
	struct dispatch d = { 0 };
	void *size = (void *)sizeof d;

	return !kernel_request(&t->kernel, GET_DISPATCH, task->tid, size, &d) && d.mode;
}

/* Would a stopped task make ours, if it were made to make one? */
static bool makes_ours(const struct tracer *t, const struct task *task)
{
	struct arch_regs regs;

	return !dispatches(t, task) &&
	       (arch_get_regs(task->tid, &regs) || arch_can_call(&regs));
}

bool tracer_can_call(const struct tracer *t, const struct task *task)
{
	return task_can_call(task) && makes_ours(t, task);
}

struct task *tracer_caller(struct tracer *t, const struct address_space *s)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->space == s && tracer_can_call(t, task))
			return task;
	return NULL;
}

/* ---- bringing it to where it can ---- */

static void note(void *ctx, pid_t tid, int wstatus)
{
	tracer_note(((struct tracer_calls *)ctx)->tracer, tid, wstatus);
}

static void takes(void *ctx, const struct journal_call *own)
{
	struct tracer_calls *c = ctx;

	journal_calls(c->tracer->journal, &c->task->journal_record, tracer_who(c->task), own);
}

static void gave_back(void *ctx)
{
	struct tracer_calls *c = ctx;

	journal_called(c->tracer->journal, c->task->journal_record);
}

/* The signal that the task has stopped for, and which has not been delivered yet; 0: none. */
static int own_signal(const struct tracer *t, const struct task *task)
{
	struct stop s = { .kind = STOP_HELD };

	if (task->state == TASK_QUEUED)
		s = tracer_decode(t, task->tid, task->wstatus);
	return s.kind == STOP_SIGNAL ? s.arg : 0;
}

/*
 * Bring a task to a stop in which it can make system calls. A task that stopped for a trap (served,
 * or being served) or for a signal of its own (delivered here) goes from there into the stop that
 * PTRACE_INTERRUPT asks for, without running anything in between. Any other stop is good as it is.
 */
static int into_held_stop(struct tracer *t, struct task *task)
{
	int wstatus, sig = own_signal(t, task);

	if (task->state != TASK_SERVED && !sig)
		return 0;
	if (kernel_request(&t->kernel, PTRACE_INTERRUPT, task->tid, NULL, NULL))
		return -errno;
	if (sig)
		task_resume(t, task, sig);
	else if (kernel_resume(&t->kernel, PTRACE_CONT, task->tid, 0))
		return -errno;
	if (!tracer_await_told(t, task->tid, &wstatus))
		return -ESRCH;
	if (WIFSTOPPED(wstatus) && tracer_decode(t, task->tid, wstatus).kind == STOP_HELD) {
		task->state = sig ? TASK_HELD : task->state;
		journal_noted(t->journal);
		return 0;
	}
	tracer_note(t, task->tid, wstatus);
	return -EAGAIN;
}

/* On the way out of a system call, the stop that PTRACE_INTERRUPT has asked for comes before any
 * other but a group stop, which is reported by the same event. */
static int await_way_out(struct tracer *t, struct task *task)
{
	int wstatus;

	while (kernel_wait(&t->kernel, task->tid, &wstatus, 0) < 0)
		if (errno != EINTR)
			return -ESRCH;
	if (!WIFSTOPPED(wstatus) || tracer_decode(t, task->tid, wstatus).kind != STOP_HELD) {
		int err = tracer_note(t, task->tid, wstatus);

		return err ? err : task_can_call(task) ? 0 : -ESRCH;
	}
	task->wstatus = wstatus;
	task->state = TASK_HELD;
	journal_noted(t->journal);
	return 0;
}

int tracer_leave_exec(struct tracer *t, struct task *task)
{
	if (!task_is_at_exec(task))
		return 0;
	if (kernel_request(&t->kernel, PTRACE_INTERRUPT, task->tid, NULL, NULL))
		return -errno;
	task->state = TASK_RUNNING;
	task->in_call = false;
	/* PTRACE_CONT even if tasks stop at system calls: the next such stop would be the exec's
	 * own exit. */
	if (kernel_resume(&t->kernel, PTRACE_CONT, task->tid, 0))
		return -errno;
	return await_way_out(t, task);
}

/* Is the task stopped for a signal, or at a system call of its own? From there it goes into the
 * stop that PTRACE_INTERRUPT asks for before it runs any code of the program. */
static bool can_be_brought(const struct tracer *t, const struct task *task)
{
	if (task->state != TASK_QUEUED || task->fresh || task->over || task->exiting)
		return false;
	struct stop s = tracer_decode(t, task->tid, task->wstatus);

	return s.kind == STOP_SIGNAL || s.kind == STOP_SYSCALL;
}

/* More than one round: after a system call's entry stop come, maybe, an event of the call, and its
 * exit stop. */
static bool bring(struct tracer *t, struct task *task)
{
	enum { STOPS = 4 };
	int wstatus;

	for (unsigned i = 0; i < STOPS && can_be_brought(t, task); i++) {
		if (kernel_request(&t->kernel, PTRACE_INTERRUPT, task->tid, NULL, NULL))
			return false;
		tracer_serve(t, task);
		if (!tracer_await_told(t, task->tid, &wstatus))
			return false;
		if (WIFSTOPPED(wstatus) && tracer_decode(t, task->tid, wstatus).kind == STOP_HELD) {
			task->state = TASK_HELD;
			journal_noted(t->journal);
		} else {
			tracer_note(t, task->tid, wstatus);
		}
	}
	return tracer_can_call(t, task);
}

bool tracer_bring_caller(struct tracer *t, const struct address_space *s)
{
	struct task *task;

	if (!t)
		return false;
	bool can = tracer_caller(t, s);
	/* Keeps tasks from being removed, so that the table can be walked. */
	t->calling = true;
	for (size_t i = 0; !can && (task = tasks_next(&t->tasks, &i));)
		can = task->space == s && bring(t, task);
	t->calling = false;
	return can;
}

int tracer_calls_begin(struct tracer_calls *c, struct tracer *t, struct task *task, taddr insn)
{
	c->tracer = t;
	c->task = task;
	c->remote = (struct remote){ .kernel = &t->kernel, .note = note, .ctx = c, .takes = takes,
				     .gave_back = gave_back };
	t->calling = true;
	int err = into_held_stop(t, task);
	if (!err && !makes_ours(t, task))
		err = -EAGAIN;
	if (!err)
		err = remote_begin(&c->run, &c->remote, task->tid, insn);
	t->calling = !err;
	return err;
}

int tracer_calls_next(struct tracer_calls *c, long nr, const uint64_t arg[6], int64_t *result)
{
	return remote_next(&c->run, nr, arg, result);
}

int tracer_calls_end(struct tracer_calls *c)
{
	int err = remote_end(&c->run);

	c->tracer->calling = false;
	return err;
}

int tracer_call(struct tracer *t, struct task *task, taddr insn, long nr, const uint64_t arg[6],
		int64_t *result)
{
	struct tracer_calls c;
	int err = tracer_calls_begin(&c, t, task, insn);

	if (err)
		return err;
	err = tracer_calls_next(&c, nr, arg, result);
	int back = tracer_calls_end(&c);
	return err ? err : back;
}
