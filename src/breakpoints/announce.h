/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_ANNOUNCE_H
#define MPROF_BREAKPOINTS_ANNOUNCE_H

#include "breakpoints/watch_internal.h"

/* Events that a call or a client request reports itself: its return need not be waited for. */

/**
 * A block is announced by mprof_malloclike() and the like, or by a client request. Nothing happens
 * if its address is 0.
 * @r, @ret  of the call; of a request, what request_as_call() gave
 */
void announce(struct watch *w, struct task *task, const struct probe *p, const struct arch_regs *r,
	      taddr ret);

/* A block, and those of a list with its links at @offset, are free now; @sp: the stack pointer
 * behind the call; @announced: as in struct alloc_event. */
void announce_free(struct watch *w, struct task *task, taddr ptr, taddr sp, bool announced);
void announce_free_list(struct watch *w, struct task *task, taddr first, uint64_t offset, taddr sp);

/* Is the client request at which a task has stopped one about blocks? */
bool request_of_interest(struct watch *w, const struct arch_regs *r);

/* A request is no call, but its chain begins where it is made: gives the registers, and *ret, of a
 * call that would return there. */
struct arch_regs request_as_call(const struct arch_regs *r, taddr *ret);

#endif
