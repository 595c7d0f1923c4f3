/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SIGMASK_H
#define MPROF_ATTACH_SIGMASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The kernel delivers the SIGTRAP of a trap instruction by force: in a task that blocks SIGTRAP it
 * unblocks it, even though the tracer swallows the signal. The old mask cannot be asked for
 * afterwards, so SIGTRAP is blocked again only where there is no doubt: to block it wrongly would
 * be worse than not to, because the next trap of the program's own would then find its handler
 * gone. A task that blocks everything else and has no handler for SIGTRAP has nothing to lose.
 */

struct kernel;

/* Signal @n is bit n - 1, as in /proc/PID/status and PTRACE_GETSIGMASK. */
typedef uint64_t sigmask;

/*
 * Asking for the mask takes almost a tenth of a stop, and hardly any program blocks everything
 * while it allocates. Those that do, do it from a thread's beginning or again and again: so the
 * mask is asked for at a task's first entries, at some later ones, and at every stop of a task that
 * has once been seen to block everything.
 */
struct mask_watch {
	uint32_t entries;	/* of functions, since the task's program began or it had a
				   signal */
	bool blocks_all;	/* it has been seen to block everything at least once */
};

/* Should the mask be asked for at this stop? @entry: of a function; if not, a call has ended, with
 * the mask that it was entered with. */
bool sigmask_is_due(struct mask_watch *m, bool entry);

/* The mask to give to a task that has stopped for a trap with @now: SIGTRAP is added if everything
 * else is blocked. */
sigmask sigmask_mend(sigmask now);

/* Correct the mask of a task stopped for a trap. */
void sigmask_restore(struct mask_watch *m, const struct kernel *kernel, pid_t tid);

#endif
