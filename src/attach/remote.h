/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_REMOTE_H
#define MPROF_ATTACH_REMOTE_H

#include "attach/task.h"

#include <stdint.h>

/*
 * System calls that a stopped task is made to run, with all its registers as they were afterwards: what it
 * was doing, in a system call or not, goes on undisturbed. Not for a task at a fork, clone or exec event,
 * which is in the middle of that call.
 */
struct tracer;

/* Find an instruction of the program that makes system calls, in the vdso of @tid: it is there in every
 * program, from its exec on. 0: there is none. */
taddr remote_insn(const struct address_space *s, pid_t tid);

/**
 * Have @task, which is stopped, run a system call by the instruction at @insn. Whatever else it stops for
 * meanwhile is queued.
 * *@result  what it has returned: -errno as the kernel does
 * Returns 0, or -errno: it was not run, -ESRCH if the task is dying.
 */
int remote_call(struct tracer *t, const struct task *task, taddr insn, long nr,
		const uint64_t arg[6], long *result);

#endif
