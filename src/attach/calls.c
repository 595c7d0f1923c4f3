/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls that the tracer has a stopped task make. */
#include "attach/tracer_internal.h"

#include "arch/arch.h"
#include "attach/remote.h"
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

struct caller {
	struct tracer *tracer;
	struct task *task;
};

static void note(void *ctx, pid_t tid, int wstatus)
{
	tracer_note(((struct caller *)ctx)->tracer, tid, wstatus);
}

static void takes(void *ctx, const struct journal_call *own)
{
	struct caller *c = ctx;

	journal_calls(c->tracer->journal, &c->task->journal_record, tracer_who(c->task), own);
}

static void gave_back(void *ctx)
{
	struct caller *c = ctx;

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
	while (kernel_wait(&t->kernel, task->tid, &wstatus, 0) < 0)
		if (errno != EINTR)
			return -ESRCH;
	if (WIFSTOPPED(wstatus) && tracer_decode(t, task->tid, wstatus).kind == STOP_HELD) {
		task->state = sig ? TASK_HELD : task->state;
		journal_noted(t->journal);
		return 0;
	}
	tracer_note(t, task->tid, wstatus);
	return -EAGAIN;
}

void tracer_call_later(struct tracer *t, const struct task *task)
{
	kernel_request(&t->kernel, PTRACE_INTERRUPT, task->tid, NULL, NULL);
}

int tracer_call(struct tracer *t, struct task *task, taddr insn, long nr, const uint64_t arg[6],
		int64_t *result)
{
	struct caller c = { t, task };
	const struct remote r = { .kernel = &t->kernel, .note = note, .ctx = &c,
				  .takes = takes, .gave_back = gave_back };
	int err = into_held_stop(t, task);

	return err ? err : remote_call(&r, task->tid, insn, nr, arg, result);
}
