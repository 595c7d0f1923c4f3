/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_ICOUNT_H
#define MPROF_MASSIF_ICOUNT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a counter says: its count, and for how many ns it was to count and really did. */
struct icount_value {
	uint64_t count, enabled, running;
};

/* Where the counts come from; in tests, from the test. */
struct icount_source {
	/* Count for a thread (0: ourselves) and for the threads that it makes. A descriptor or
	 * -errno. */
	int (*open)(pid_t tid);
	bool (*read)(int fd, struct icount_value *v);
	void (*close)(int fd);
};

/* The processor's counter of instructions in user mode. Source: perf_event_open(2), with inherit
 * and inherit_thread (Linux 5.13). */
extern const struct icount_source perf_instructions;

/* A counter of the same kind of something else: perf_event_attr's type and config. */
int icount_open_perf(pid_t tid, uint32_t type, uint64_t config);

/* One thread's counter, and that of those it made. */
struct icount_thread {
	int fd;
	uint64_t last;		/* what it was read as */
	bool failed, estimated; /* it could not be read; it was shared with others */
};

/* Instructions that a process executes in user mode; a zeroed struct counts none. */
struct icount {
	const struct icount_source *source;
	struct icount_thread *threads;	/* those there were; the ones they make are counted with
					   them */
	size_t n;
	uint64_t before;	/* counted from */
	int err;		/* -errno: why some could not be opened */
};

/* Can instructions be counted here at all? 0, or -errno with a sentence in @e that tells why
 * not. */
int icount_possible(const struct icount_source *source, struct error *e);

/**
 * Count from here on; all threads of the process are stopped. icount_error() tells what went wrong.
 * @before  what to begin with
 */
void icount_open(struct icount *c, const struct icount_source *source, pid_t pid, uint64_t before);
void icount_close(struct icount *c);

/* The sum over all threads, those that have ended included; other threads may be running. It never
 * goes down. */
uint64_t icount_read(const struct icount *c);

/* -errno: something is not counted, and why. */
int icount_error(const struct icount *c);

/* Whether others used a counter by turns, so that a part of the sum is an estimate. */
bool icount_estimated(const struct icount *c);

#endif
