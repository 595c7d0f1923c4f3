/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_STACKS_H
#define MPROF_HEAPWALK_STACKS_H

#include "still/still.h"

enum { STACK_RED_ZONE = 128 }; /* below a stack pointer, and in use */

/**
 * Where the stack is that a task is on. The kernel joins the mapping of a thread's with others next
 * to it, and a program may give it a part of something larger: its own descriptor tells.
 * @r  any of that still
 * False: it is not known, as of a coroutine.
 */
bool stack_of_task(struct still_reader *r, const struct still_task *t, taddr *start, taddr *end);

#endif
