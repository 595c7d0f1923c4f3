/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a process that a tracee has just created. */
#include "attach/tracer_internal.h"

#include "arch/arch.h"
#include "attach/sharing.h"
#include "attach/untold.h"

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
