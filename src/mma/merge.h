/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_MERGE_H
#define MPROF_MMA_MERGE_H

#include "mma/log.h"
#include "mma/stats.h"

/*
 * Several logs as one group: their entries in the order of time, those of the same time in the
 * order of the logs.
 */
struct mma_merge {
	const struct mma_log *logs;
	size_t *next;	/* the entry of each log that comes next */
	size_t *heap;	/* the logs that have one, the earliest first */
	size_t n;	/* of them */
};

/* 0 or -ENOMEM; to be released in any case. */
int mma_merge_init(struct mma_merge *m, const struct mma_log *logs, size_t n);
void mma_merge_release(struct mma_merge *m);

/* The next entry, and the number of its log. NULL: there are no more. */
const struct mma_entry *mma_merge_next(struct mma_merge *m, size_t *log);

/* That entry was the last one of its log. */
bool mma_merge_was_last(const struct mma_merge *m, size_t log);

/**
 * The statistics of a group of processes of which these are the logs. @s is to be zeroed before.
 * Returns 0, -ENOMEM, or -EOVERFLOW as mma_stats_add().
 */
int mma_stats_of_logs(struct mma_stats *s, const struct mma_log *logs, size_t n);

/**
 * The same of one log while it is read, which takes no memory for its entries.
 * @s     to be zeroed before
 * @tail  gets what is told of the log's end: lines, truncated
 * Returns 0, or -errno with a sentence in @e of what cannot be read; -EAGAIN, without one: it has
 * to be read whole, for its lines are not in the order of time, or to tell what cannot be counted.
 */
int mma_stats_of_source(struct mma_stats *s, struct mma_source *log, struct mma_log *tail,
			struct error *e);

#endif
