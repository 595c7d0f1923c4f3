/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/remote.h"

#include "arch/arch.h"
#include "attach/tracer_internal.h"
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

taddr remote_insn(const struct address_space *s, pid_t tid)
{
	struct proc_map vdso = { 0 };
	uint8_t code[4096];

	if (proc_maps_each(tid, find_vdso, &vdso) != 1)
		return 0;
	for (taddr at = vdso.start; at < vdso.end; at += sizeof code) {
		ssize_t got = address_space_read(s, at, code, sizeof code);
		const uint8_t *insn = got > 0 ? arch_find_syscall(code, (size_t)got) : NULL;

		if (insn)
			return at + (taddr)(insn - code);
	}
	return 0;
}

/* What the step has come to. 1: something else came first, it is to be tried again; 0: it is done. */
static int await_step(struct tracer *t, pid_t tid, taddr insn, long *result)
{
	struct arch_regs now;
	int wstatus;

	while (kernel_wait(&t->kernel, tid, &wstatus, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFSTOPPED(wstatus)) {
		int err = arch_get_regs(tid, &now);

		if (err)
			return err;
		if (wstatus >> 8 == SIGTRAP && arch_syscall_done(&now, insn, result)) {
			journal_noted(t->journal);
			return 0;
		}
		/* The answer to an earlier PTRACE_INTERRUPT is of no more interest. */
		if (wstatus >> 16 == PTRACE_EVENT_STOP) {
			journal_noted(t->journal);
			return 1;
		}
	}
	tracer_note(t, tid, wstatus);
	return WIFSTOPPED(wstatus) ? 1 : -ESRCH;
}

int remote_call(struct tracer *t, const struct task *task, taddr insn, long nr,
		const uint64_t arg[6], long *result)
{
	enum { TRIES = 16 };
	struct arch_regs was;
	int err = arch_get_regs(task->tid, &was);

	if (err)
		return err;
	const struct arch_regs call = arch_syscall_regs(&was, insn, nr, arg);
	int stepped = 1;
	for (unsigned i = 0; i < TRIES && stepped == 1; i++) {
		err = arch_set_regs(task->tid, &call);
		if (!err && kernel_resume(&t->kernel, PTRACE_SINGLESTEP, task->tid, 0))
			err = -errno;
		stepped = err ? err : await_step(t, task->tid, insn, result);
	}
	/* Whole: that has the call go on which the task was in. */
	err = arch_set_regs(task->tid, &was);
	return stepped == 1 ? -EAGAIN : stepped ? stepped : err;
}
