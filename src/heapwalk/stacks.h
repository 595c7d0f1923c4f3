/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_STACKS_H
#define MPROF_HEAPWALK_STACKS_H

#include "still/still.h"

enum {
	STACK_RED_ZONE = 128,	 /* bytes below a stack pointer that are in use */
	STACK_THREAD_ALIGN = 64, /* the alignment of thread pointers */
};

/**
 * The bounds of the stack that a task is on. The kernel merges the mapping of a thread's stack with
 * adjacent ones, and a program may provide a part of something larger as stack: so the thread's
 * descriptor is read.
 * @r  any reader of the still
 * False: it is not known, such as that of a coroutine.
 */
bool stack_of_task(struct still_reader *r, const struct still_task *t, taddr *start, taddr *end);

/**
 * The lowest stack pointer that a task has on its stack, from @start to @end: as a rule its own.
 * But a signal handler may run on an alternate stack that is in the frame of one of the callers of
 * what was interrupted: then that is below it, and its stack pointer is in the frame of the signal.
 */
taddr stack_lowest(struct still_reader *r, const struct still_task *t, taddr start, taddr end);

/**
 * Is this a thread pointer, of a living thread or of one that does not exist any more? The stack of
 * a thread that has ended is cached for a new one, and a child of fork(2) has those of its parent's
 * threads. The first and the third word there contain the thread pointer itself.
 * Source: struct tcbhead_t of glibc, tcb and self.
 */
bool stack_has_thread(struct still_reader *r, taddr at);

#endif
