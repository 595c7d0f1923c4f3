/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SIGMASK_H
#define MPROF_ATTACH_SIGMASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The kernel forces the SIGTRAP of a trap instruction: if the task blocks SIGTRAP it unblocks it,
 * even though the tracer suppresses the signal. What the mask was cannot be told afterwards, so
 * SIGTRAP is blocked again only where there is no doubt. To block it wrongly would be worse than
 * not to block it: the next trap instruction of the program's own would reset its handler. A task
 * that blocks all other signals and has no handler for SIGTRAP has nothing to lose.
 */

struct kernel;

/* Signal @n is bit n - 1, as in /proc/PID/status and PTRACE_GETSIGMASK. */
typedef uint64_t sigmask;

/*
 * Reading the mask takes almost a tenth of a stop's time, and hardly any program blocks all signals
 * while it allocates. Those that do, do it from a thread's beginning or again and again: so the
 * mask is read at a task's first entries, at some later ones, and at every stop of a task that has
 * been seen to block them.
 */
struct mask_watch {
	uint32_t entries;	/* of functions, since the exec or the last signal */
	bool blocks_all;	/* it has been seen to block all signals */
};

/* Is the mask to be read at this stop? @entry: at a function's entry; if not, at its return, where
 * the mask is the one that the call was entered with. */
bool sigmask_is_due(struct mask_watch *m, bool entry);

/* The mask to give a task that has stopped for a trap with @now: SIGTRAP is added if everything
 * else is blocked. */
sigmask sigmask_mend(sigmask now);

/* Mend the mask of a task stopped for a trap. */
void sigmask_restore(struct mask_watch *m, const struct kernel *kernel, pid_t tid);

#endif
