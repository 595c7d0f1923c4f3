/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_MERGE_H
#define MPROF_MMA_MERGE_H

#include "mma/log.h"
#include "mma/stats.h"

/*
 * Merges several logs of a group: entries sorted by time, those of the same time in the order of
 * the logs.
 */
struct mma_merge {
	const struct mma_log *logs;
	size_t *next;	/* by log: index of its next entry */
	size_t *heap;	/* heap of the logs that have a next entry, the earliest first */
	size_t n;	/* number of logs in the heap */
};

/* 0 or -ENOMEM; release @m in any case. */
int mma_merge_init(struct mma_merge *m, const struct mma_log *logs, size_t n);
void mma_merge_release(struct mma_merge *m);

/* The next entry, and the number of its log. NULL: there are no more. */
const struct mma_entry *mma_merge_next(struct mma_merge *m, size_t *log);

/* True if the entry just returned was the last one of its log. */
bool mma_merge_was_last(const struct mma_merge *m, size_t log);

/**
 * The statistics of a group of processes from their logs. @s must be zeroed.
 * Returns 0, -ENOMEM, or -EOVERFLOW as mma_stats_add().
 */
int mma_stats_of_logs(struct mma_stats *s, const struct mma_log *logs, size_t n);

/**
 * The same for one log while it is read, without keeping its entries in memory.
 * @s     must be zeroed
 * @tail  set to what is known at the log's end: lines, truncated
 * Returns 0, or -errno with a sentence in @e if it cannot be read; -EAGAIN without one: it has to
 * be read as a whole, since its lines are not sorted, or to report what cannot be counted.
 */
int mma_stats_of_source(struct mma_stats *s, struct mma_source *log, struct mma_log *tail,
			struct error *e);

#endif
