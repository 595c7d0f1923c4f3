/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SIGMASK_H
#define MPROF_ATTACH_SIGMASK_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The kernel delivers the SIGTRAP of a trap instruction by force: from a task that blocks SIGTRAP it
 * takes the block away, even though the tracer swallows the signal. What the mask was cannot be
 * asked afterwards, so it is put back where there is no doubt.
 */

/* Signal @n is bit n - 1, as in /proc/PID/status and PTRACE_GETSIGMASK. */
typedef uint64_t sigmask;

/* The mask a task has now, from /proc/TID/status; 0 if it is gone. */
sigmask sigmask_of(pid_t tid);

/**
 * The mask to give a task that has stopped for a trap with @now.
 * @known  the mask it was seen with before it ran into its first trap
 * SIGTRAP belongs into it if it is the known one but for that, or if everything else is blocked too.
 */
sigmask sigmask_mend(sigmask now, sigmask known);

/* Mend the mask of a task stopped for a trap. */
void sigmask_restore(pid_t tid, sigmask known);

#endif
