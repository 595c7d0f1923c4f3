/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_ICOUNT_H
#define MPROF_MASSIF_ICOUNT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Instructions that a process executes in user mode, counted by the processor; a zeroed struct counts
 * none. */
struct icount {
	int *fds;	/* one for each thread there was; those it makes are counted with it */
	size_t n;
	uint64_t before;	/* counted from */
};

/* Can instructions be counted here at all? 0, or -errno with a sentence in @e that tells why not. */
int icount_possible(struct error *e);

/**
 * Count from here on; all threads of the process are stopped.
 * @before  what to begin with
 * Returns 0 or -errno; then it stands still.
 * Source: perf_event_open(2), inherit and inherit_thread (Linux 5.13).
 */
int icount_open(struct icount *c, pid_t pid, uint64_t before);
void icount_close(struct icount *c);

/* The sum over all threads, those that have ended included; other threads may be running. */
uint64_t icount_read(const struct icount *c);

#endif
