/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_STACKS_H
#define MPROF_HEAPWALK_STACKS_H

#include "still/still.h"

enum {
	STACK_RED_ZONE = 128,	 /* below a stack pointer, and in use */
	STACK_THREAD_ALIGN = 64, /* of where a thread pointer leads */
};

/**
 * Where the stack is that a task is on. The kernel joins the mapping of a thread's with others next
 * to it, and a program may give it a part of something larger: its own descriptor tells.
 * @r  any of that still
 * False: it is not known, as of a coroutine.
 */
bool stack_of_task(struct still_reader *r, const struct still_task *t, taddr *start, taddr *end);

/**
 * Is this where a thread pointer leads, of a living thread or of one that is not there any more?
 * The stack of one that has ended is kept for another one, and a child of fork(2) has those of its
 * parent's threads. The first and the third word point at themselves.
 * Source: struct tcbhead_t of glibc, tcb and self.
 */
bool stack_has_thread(struct still_reader *r, taddr at);

#endif
