/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_GROUP_H
#define MPROF_MMA_GROUP_H

#include "mma/stats.h"
#include "record/recorder.h"

/*
 * The event logs and the statistics of a group of traced processes, while they run. Each process
 * has one log, which continues after an exec. Both are made from the same entries.
 */
struct mma_group;

/* The file for the log of a process; errors have been reported. */
struct mma_file {
	int fd;		/* -1: it could not be opened; then there is no log */
	char *name;	/* malloc'ed, owned by the group */
	bool compress;
};

struct mma_group_ops {
	/* NULL: no logs are wanted. @nth: number of processes in the group that had this pid
	 * before. */
	struct mma_file (*open)(void *ctx, pid_t pid, unsigned nth);
	void *ctx;
	bool humanized;
};

/* NULL: out of memory. */
struct mma_group *mma_group_new(const struct mma_group_ops *ops);
void mma_group_free(struct mma_group *g);

/**
 * Make the recorder for a program image that process @pid begins now: its first one, or the next
 * after an exec. The clock of @profile must have been started. NULL: out of memory.
 */
struct recorder *mma_group_record(struct mma_group *g, pid_t pid, const struct profile *profile);

/**
 * End the measurement for all processes that are still live, one after the other, the first of the
 * group last, so that the load at the end is that of its blocks.
 */
void mma_group_end(struct mma_group *g, uint64_t now_ns);

/* The statistics until now. */
const struct mma_stats *mma_group_stats(const struct mma_group *g);

/* Counted since tracing was first suspended: frees of unknown blocks, and blocks whose address was
 * used again. False: it never was suspended. */
bool mma_group_missed(const struct mma_group *g, uint64_t *unknown_free, uint64_t *replaced);

/* Flush the logs. 0, or the first -errno of any of them. */
int mma_group_flush(struct mma_group *g);

/**
 * Close the logs. @closed is called for each with its name, and 0 or the -errno of writing it.
 * Returns the first error, or -ENOMEM if an entry could not be counted.
 */
int mma_group_close(struct mma_group *g, void (*closed)(void *ctx, const char *name, int err),
		    void *ctx);

#endif
