/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_REMOTE_H
#define MPROF_ATTACH_REMOTE_H

#include "attach/journal.h"
#include "attach/kernel.h"

/*
 * System calls that a stopped task is made to make. Nothing of the program's own is lost for it: a
 * call that the stop has interrupted goes on, signals stay with the kernel until the task goes on,
 * and what is done about SIGTRAP stays as it is. Therefore the task is not single-stepped: the
 * SIGTRAP of a step is delivered by force, which would take a handler, or that it is ignored, away
 * for good. It runs from the call's beginning to its end, and is then interrupted, for only there
 * does the kernel begin again what was interrupted before.
 */
struct remote {
	const struct kernel *kernel;
	/* Told what has happened meanwhile to other tasks; of the task itself that it has ended, is
	 * about to, or that job control has stopped it. */
	void (*note)(void *ctx, pid_t tid, int wstatus);
	void *ctx;
	/* What is the task's own is about to be taken from it; and it has been given back. NULL:
	 * nobody wants to know. */
	void (*takes)(void *ctx, const struct journal_call *own);
	void (*gave_back)(void *ctx);
};

/*
 * The calls that a task makes one after the other: it is given back what is its own when it has
 * made all of them.
 */
struct remote_run {
	const struct remote *remote;
	pid_t tid;
	struct journal_call own;
	int err; /* it cannot make another call */
};

/**
 * Have a task make system calls, with remote_next().
 * @tid   it was seized, with PTRACE_O_TRACESYSGOOD, and is held by PTRACE_INTERRUPT or stopped by
 *        job control. In any other stop a call might not run at all, or a signal would get lost:
 *        there interrupt it, let it go on with its signal, and use the stop that follows
 * @insn  an instruction in its own memory that makes system calls, arch_find_syscall()
 * Returns 0 or -errno: nothing has been done, and there is nothing to be ended.
 */
int remote_begin(struct remote_run *run, const struct remote *r, pid_t tid, taddr insn);

/**
 * @nr      the call's number; it should be one that does not sleep
 * @result  what it has returned: -1 to -4095 is -errno
 * Returns 0, or -errno: -ESRCH (the task has ended or is about to), -EFAULT (there is no such
 * instruction), -EINTR (the call was interrupted before it did anything).
 */
int remote_next(struct remote_run *run, long nr, const uint64_t arg[6], int64_t *result);

/* 0 or -errno: the task is dying. */
int remote_end(struct remote_run *run);

#endif
