/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a process that a tracee has just created. */
#include "attach/tracer_internal.h"

#include "arch/arch.h"
#include "attach/sharing.h"
#include "attach/untold.h"

#include <errno.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

/* Does the child that @parent has stopped for run in its memory, by the call that it is in? */
static bool is_born_sharing(const struct task *parent, const struct address_space *space)
{
	struct proc_syscall call;
	struct arch_regs regs;
	uint64_t flags = 0;

	if (arch_get_regs(parent->tid, &regs))
		return parent->in_vfork;
	call.number = arch_syscall(&regs, call.args);
	if (call.number == SYS_clone3 &&
	    address_space_read(space, call.args[0], &flags, sizeof flags) != sizeof flags)
		flags = 0;
	return sharing_by_call(&call, flags, parent->in_vfork);
}

/* If there is no event of its birth the parent was killed, or has left that memory by an exec: then
 * nobody but the child uses it, or a copy. */
bool tracer_born_sharing(const struct tracer *t, const struct task *task, const struct task *parent,
			 const struct address_space *space)
{
	int answer = t->kernel.shares_memory(t->kernel.ctx, task->tid, parent->tid);

	if (answer >= 0)
		return answer;
	return task_stopped_for_birth(parent) && is_born_sharing(parent, space);
}

/* The files of a dying task belong to root: EACCES, as for a live one that we may not access. */
bool tracer_has_died(const struct tracer *t, const struct task *task, int err)
{
	unsigned long msg;

	if (err == EACCES)
		return kernel_request(&t->kernel, PTRACE_GETEVENTMSG, task->tid, NULL, &msg);
	return err == ESRCH || err == ENOENT;
}

/* ---- copies of an undumpable program ---- */

/*
 * The memory of an undumpable process can be opened with CAP_SYS_PTRACE only, and PTRACE_POKEDATA
 * is refused, too. If its parent's was opened before the parent became undumpable the child is
 * followed like any other. It has to be reached in any case: it has a copy of the breakpoints, and
 * would die of the first one. So it is made dumpable for a moment, before it runs anything.
 */

static int set_dumpable(struct tracer_calls *c, int value, int64_t *was)
{
	const uint64_t get[6] = { PR_GET_DUMPABLE }, set[6] = { PR_SET_DUMPABLE, (uint64_t)value };
	int64_t result = 0;
	int err = tracer_calls_next(c, SYS_prctl, get, was);

	if (!err && *was < 0)
		return (int)*was;
	if (!err && *was != value)
		err = tracer_calls_next(c, SYS_prctl, set, &result);
	return err ? err : (int)result;
}

/* The instruction that the child makes system calls with: the one that has created it, in the code
 * that it has a copy of. 0: there is none. */
static taddr find_syscall(const struct task *task, const struct address_space *space)
{
	struct arch_regs regs;
	uint8_t code[8];

	if (arch_get_regs(task->tid, &regs))
		return 0;
	const taddr at = arch_syscall_made_at(&regs);
	ssize_t got = address_space_read(space, at, code, sizeof code);

	return got > 0 && !arch_find_syscall(code, (size_t)got) ? at : 0;
}

static int call_dumpable(struct tracer *t, struct task *task, const struct address_space *space,
			 int value, int *was)
{
	const taddr insn = find_syscall(task, space);
	struct tracer_calls c;
	int64_t before = 0;

	if (!insn)
		return -EACCES;
	/* Without that privilege the filter decides. */
	const bool unfiltered = !tracer_suspend_seccomp(t, task, true);
	int err = tracer_calls_begin(&c, t, task, insn);

	if (!err) {
		err = set_dumpable(&c, value, &before);
		int back = tracer_calls_end(&c);

		err = err ? err : back;
	}
	if (unfiltered)
		tracer_suspend_seccomp(t, task, false);
	*was = (int)before;
	return err;
}

static void hide(struct tracer *t, struct task *task, const struct address_space *space, int was)
{
	/* 2, by fs.suid_dumpable, cannot be set. */
	if (was != 1)
		call_dumpable(t, task, space, 0, &was);
}

struct address_space *tracer_open_copy(struct tracer *t, struct task *task,
				       const struct address_space *space, struct new_copy *copy)
{
	struct address_space *own = t->kernel.open_space(t->kernel.ctx, task->tid);
	int err = own ? 0 : errno;

	*copy = (struct new_copy){ .err = err };
	if (own)
		return own;
	if (tracer_has_died(t, task, err)) {
		copy->err = ESRCH;
		return NULL;
	}
	if (err != EACCES)
		return NULL;
	err = call_dumpable(t, task, space, 1, &copy->dumpable);
	copy->revealed = !err;
	if (err == -ESRCH)
		copy->err = ESRCH;
	own = copy->revealed ? t->kernel.open_space(t->kernel.ctx, task->tid) : NULL;
	if (own)
		hide(t, task, space, copy->dumpable);
	return own;
}

bool tracer_let_copy_go(struct tracer *t, struct task *task, const struct address_space *space,
			const struct new_copy *copy)
{
	struct address_space *own = copy->err == ESRCH ? NULL : space_of_stopped(task->tid);

	if (!own)
		return true;
	tracer_enter_space(task, own);
	journal_copies(t->journal, task->tgid);
	t->ops->unfollowed(t->ctx, task, space, -copy->err);
	journal_copied(t->journal, task->tgid);
	if (copy->revealed)
		hide(t, task, space, copy->dumpable);
	tracer_let_go(t, task, 0);
	return false;
}
