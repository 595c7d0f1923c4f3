/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SIGMASK_H
#define MPROF_ATTACH_SIGMASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The kernel delivers the SIGTRAP of a trap instruction by force: from a task that blocks SIGTRAP
 * it takes the block away, even though the tracer swallows the signal. What the mask was cannot be
 * asked afterwards, so it is put back only where there is no doubt: a block too many would be worse
 * than one too few, for the next trap of the program's own would then find its handler gone.
 * Whoever blocks all but SIGTRAP and has no handler for it has nothing to lose by a block.
 */

struct kernel;

/* Signal @n is bit n - 1, as in /proc/PID/status and PTRACE_GETSIGMASK. */
typedef uint64_t sigmask;

/*
 * Asking for the mask takes almost a tenth of a stop, and hardly any program blocks everything
 * while it allocates. Those that do, do it from a thread's beginning or again and again: so it is
 * asked for at a task's first entries, at some later ones, and at every stop of a task that has
 * once been seen to.
 */
struct mask_watch {
	uint32_t entries;	/* of functions, since the task's program began or it had a
				   signal */
	bool blocks_all;	/* it has been seen to block everything */
};

/* Is the mask to be asked for at this stop? @entry: of a function; if not, a call has ended, with
 * the mask that it was entered with. */
bool sigmask_is_due(struct mask_watch *m, bool entry);

/* The mask to give a task that has stopped for a trap with @now: SIGTRAP belongs into it if
 * everything else is blocked too. */
sigmask sigmask_mend(sigmask now);

/* Mend the mask of a task stopped for a trap. */
void sigmask_restore(struct mask_watch *m, const struct kernel *kernel, pid_t tid);

#endif
