/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOOK_RSS_H
#define MPROF_CLI_LOOK_RSS_H

#include "cli/look.h"
#include "heapwalk/rss.h"

/* Resident memory by purpose. */
struct rss_sums {
	enum heap_allocator allocator; /* the allocator that was walked; if none was, any value */
	uint64_t rss[N_RSS_KINDS], pss[N_RSS_KINDS];
};

/**
 * Measure a process that @holder holds.
 * @then  called with the look, in which lost blocks can be searched, too
 * Returns 0, or -errno with a sentence in @e.
 */
int rss_measure(const struct options *o, pid_t pid, struct still_holder *holder,
		struct rss_sums *sums, void (*then)(void *ctx, const struct look *l), void *ctx,
		struct error *e);

#endif
