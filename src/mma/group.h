/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_GROUP_H
#define MPROF_MMA_GROUP_H

#include "mma/stats.h"
#include "record/recorder.h"

/*
 * The event logs and the statistics of a group of traced processes, while they run. One log for
 * each process; what it does after an exec continues it. Both are made from the same entries.
 */
struct mma_group;

/* The file for the log of a process; what goes wrong has been said. */
struct mma_file {
	int fd;		/* -1: it could not be opened; the process then has no log */
	char *name;	/* malloc'ed, belongs to the group */
	bool compress;
};

struct mma_group_ops {
	/* NULL: no logs are wanted. @nth: so many processes of the group had this number before. */
	struct mma_file (*open)(void *ctx, pid_t pid, unsigned nth);
	void *ctx;
	bool humanized;
};

/* NULL: out of memory. */
struct mma_group *mma_group_new(const struct mma_group_ops *ops);
void mma_group_free(struct mma_group *g);

/**
 * The recorder for a program image that process @pid begins now: its first one, or the next after
 * an exec. @profile's clock has been started. NULL: out of memory.
 */
struct recorder *mma_group_record(struct mma_group *g, pid_t pid, const struct profile *profile);

/**
 * The measurement is over for all processes that are still there. They end one after the other, the
 * first of the group last, so that the load at the end is that of its blocks.
 */
void mma_group_end(struct mma_group *g, uint64_t now_ns);

/* What there is up to now. */
const struct mma_stats *mma_group_stats(const struct mma_group *g);

/* Since the first time that tracing was suspended: frees of unknown blocks, and addresses that were
 * given again. False: it never was. */
bool mma_group_missed(const struct mma_group *g, uint64_t *unknown_free, uint64_t *replaced);

/* Write what the logs hold back. 0, or -errno of the first failure of any of them. */
int mma_group_flush(struct mma_group *g);

/**
 * Close the logs. For each, @closed gets its name and 0 or the -errno with which writing it failed.
 * Returns the first failure, or -ENOMEM if an entry could not be counted.
 */
int mma_group_close(struct mma_group *g, void (*closed)(void *ctx, const char *name, int err),
		    void *ctx);

#endif
