/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SIGMASK_H
#define MPROF_ATTACH_SIGMASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The kernel delivers the SIGTRAP of a trap instruction by force: from a task that blocks SIGTRAP it
 * takes the block away, even though the tracer swallows the signal. What the mask was cannot be
 * asked afterwards, so it is put back only where there is no doubt: a block too many would be worse
 * than one too few, for the next trap of the program's own would then find its handler gone.
 */

/* Signal @n is bit n - 1, as in /proc/PID/status and PTRACE_GETSIGMASK. */
typedef uint64_t sigmask;

/* The mask to give a task that has stopped for a trap with @now: SIGTRAP belongs into it if
 * everything else is blocked too. */
sigmask sigmask_mend(sigmask now);

/* Mend the mask of a task stopped for a trap. True: everything else is blocked. */
bool sigmask_restore(pid_t tid);

#endif
