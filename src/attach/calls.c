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

taddr tracer_syscall_insn(const struct address_space *s, pid_t tid)
{
	struct proc_map vdso = { 0 };
	uint8_t code[4096];

	if (proc_maps_each(tid, find_vdso, &vdso) != 1)
		return 0;
	for (taddr at = vdso.start; at < vdso.end; at += sizeof code) {
		ssize_t got = address_space_read(s, at, code, sizeof code);
		ssize_t insn = got > 0 ? arch_find_syscall(code, (size_t)got) : -ENOENT;

		if (insn >= 0)
			return at + (taddr)insn;
	}
	return 0;
}

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

/* The signal that it has stopped for, and has not been handed yet. */
static int own_signal(const struct tracer *t, const struct task *task)
{
	struct stop s = { .kind = STOP_HELD };

	if (task->state == TASK_QUEUED)
		s = tracer_decode(t, task->tid, task->wstatus);
	return s.kind == STOP_SIGNAL ? s.arg : 0;
}

/*
 * A stop for a trap, which has been served or is being served; or one for a signal of its own,
 * which it is handed: from there the task goes into a stop that PTRACE_INTERRUPT asks for, without
 * running anything in between. What else it stops for is the program's.
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

/* The stop that PTRACE_INTERRUPT has asked for comes before any other that a task may make on its
 * way out of a system call, but for job control's, which is told by the same event. */
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
	/* Also where tasks stop at system calls: what follows is the end of the exec. */
	if (kernel_resume(&t->kernel, PTRACE_CONT, task->tid, 0))
		return -errno;
	return await_way_out(t, task);
}

/* Stopped for a signal, or where a system call of its own begins or ends: from there it goes into a
 * stop that PTRACE_INTERRUPT asks for, and runs nothing of the program's before. */
static bool can_be_brought(const struct tracer *t, const struct task *task)
{
	if (task->state != TASK_QUEUED || task->fresh || task->over || task->exiting)
		return false;
	struct stop s = tracer_decode(t, task->tid, task->wstatus);

	return s.kind == STOP_SIGNAL || s.kind == STOP_SYSCALL;
}

/* Of one system call the end comes after the beginning, and that may be told of by an event. */
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
	return task_can_call(task);
}

bool tracer_bring_caller(struct tracer *t, const struct address_space *s)
{
	struct task *task;
	bool can = false;

	if (!t)
		return false;
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i)) && !can;)
		can = task->space == s && task_can_call(task);
	/* Nobody is forgotten meanwhile: the table stays as it is. */
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
