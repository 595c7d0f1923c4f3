/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_REMOTE_H
#define MPROF_ATTACH_REMOTE_H

#include "attach/journal.h"
#include "attach/kernel.h"

/*
 * System calls that a stopped task is made to make. The program loses nothing by it: a call that
 * the stop has interrupted is restarted, signals stay pending until the task goes on, and the
 * disposition of SIGTRAP stays as it is. That is why the task is not single-stepped: the kernel
 * forces the SIGTRAP of a step, which would reset a handler, or SIG_IGN, for good. The task runs
 * from the call's entry to its exit, and is then interrupted, for only in such a stop does the
 * kernel restart what was interrupted before.
 */
struct remote {
	const struct kernel *kernel;
	/* Called with what waitpid has reported meanwhile of other tasks; of the task itself, that
	 * it has ended, is about to, or is in a group stop. */
	void (*note)(void *ctx, pid_t tid, int wstatus);
	void *ctx;
	/* The task's registers and mask are about to be replaced; and they have been restored. May
	 * be NULL. */
	void (*takes)(void *ctx, const struct journal_call *own);
	void (*gave_back)(void *ctx);
};

/*
 * Calls that a task makes one after the other: its registers and mask are restored after the last
 * one.
 */
struct remote_run {
	const struct remote *remote;
	pid_t tid;
	struct journal_call own;
	int err; /* not 0: it cannot make another call */
};

/**
 * Have a task make system calls, with remote_next().
 * @tid   seized with PTRACE_O_TRACESYSGOOD, and stopped by PTRACE_INTERRUPT or in a group stop. In
 *        any other stop a call might not run at all, or a signal would get lost: there interrupt
 *        it, resume it with its signal, and use the stop that follows
 * @insn  a system call instruction in its own memory, arch_find_syscall()
 * Returns 0 or -errno: nothing has been done, and remote_end() is not to be called.
 */
int remote_begin(struct remote_run *run, const struct remote *r, pid_t tid, taddr insn);

/**
 * @nr      the call's number; it should be one that does not sleep
 * @result  what it has returned: -1 to -4095 is -errno
 * Returns 0, or -errno: -ESRCH (the task has ended or is about to), -EFAULT (there is no such
 * instruction), -EINTR (the call was interrupted before it did anything).
 */
int remote_next(struct remote_run *run, long nr, const uint64_t arg[6], int64_t *result);

/* Restore the task's registers and mask. 0 or -errno: the task is dying. */
int remote_end(struct remote_run *run);

#endif
