/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/vfork.h"

#include "proc/status.h"

#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/uio.h>

bool vfork_is_call(const struct proc_syscall *c, uint64_t flags)
{
	const uint64_t both = CLONE_VM | CLONE_VFORK;

#ifdef SYS_vfork /* newer machines have clone(2) alone */
	if (c->number == SYS_vfork)
		return true;
#endif
	if (c->number == SYS_clone)
		flags = c->args[0];
	else if (c->number != SYS_clone3)
		return false;
	return (flags & both) == both;
}

/* The flags of a clone3(2), the first word of its struct; 0: it cannot be read. */
static uint64_t read_flags(pid_t tid, uint64_t at)
{
	uint64_t flags = 0;
	struct iovec to = { &flags, sizeof flags };
	struct iovec from = { (void *)(uintptr_t)at, sizeof flags };

	return process_vm_readv(tid, &to, 1, &from, 1, 0) == sizeof flags ? flags : 0;
}

bool vfork_sleeps(pid_t tid)
{
	struct proc_syscall c;

	/* vfork(2) sleeps killably, which is shown as D. */
	if (proc_status(tid).state != 'D' || proc_syscall(tid, &c))
		return false;
	return vfork_is_call(&c, c.number == SYS_clone3 ? read_flags(tid, c.args[0]) : 0);
}
