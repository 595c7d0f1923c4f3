/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_ICOUNT_H
#define MPROF_MASSIF_ICOUNT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The value of a counter: its count, and for how many ns it was enabled and really ran. */
struct icount_value {
	uint64_t count, enabled, running;
};

/* How counters are opened and read; tests have their own. */
struct icount_source {
	/* Open a counter for a thread (0: our own) and the threads that it creates. A descriptor or
	 * -errno. */
	int (*open)(pid_t tid);
	bool (*read)(int fd, struct icount_value *v);
	void (*close)(int fd);
};

/* The hardware counter of instructions in user mode. Source: perf_event_open(2), with inherit and
 * inherit_thread (Linux 5.13). */
extern const struct icount_source perf_instructions;

/* Open the same kind of counter for another event: perf_event_attr's type and config. */
int icount_open_perf(pid_t tid, uint32_t type, uint64_t config);

/* The counter of a thread and of the threads that it created. */
struct icount_thread {
	int fd;
	uint64_t last;		/* its value at the last read */
	bool failed, estimated; /* it could not be read; it was multiplexed */
};

/* Instructions that a process executes in user mode; a zeroed struct counts none. */
struct icount {
	const struct icount_source *source;
	struct icount_thread *threads;	/* threads that existed at icount_open(); those that they
					   create are counted with them */
	size_t n;
	uint64_t before;	/* initial value */
	int err;		/* -errno: why some counters could not be opened */
};

/* Check whether instructions can be counted on this machine. 0, or -errno with a sentence in @e
 * that says why not. */
int icount_possible(const struct icount_source *source, struct error *e);

/**
 * Count from here on; all threads of the process must be stopped. Errors: icount_error().
 * @before  initial value of the sum
 */
void icount_open(struct icount *c, const struct icount_source *source, pid_t pid, uint64_t before);
void icount_close(struct icount *c);

/* The sum over all threads, including those that have ended; threads may be running. Never
 * decreases. */
uint64_t icount_read(const struct icount *c);

/* 0, or -errno: not everything is counted. */
int icount_error(const struct icount *c);

/* True if counters were multiplexed, so that the sum is partly an estimate. */
bool icount_estimated(const struct icount *c);

#endif
