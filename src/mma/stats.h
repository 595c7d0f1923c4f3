/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_STATS_H
#define MPROF_MMA_STATS_H

#include "mma/blocks.h"
#include "mma/entry.h"

/*
 * The statistics of a group of processes (doc/formats.md, section 3.3), entry by entry. A running
 * session and a log of it are counted by the same code, so the results are equal.
 */
typedef unsigned __int128 mma_wide;

struct mma_stats {
	bool begun;
	uint64_t first_ns, last_ns;	/* times of the first and the last entry */
	mma_wide load;			/* requested bytes of all live blocks */
	mma_wide load_max;
	mma_wide load_total;		/* byte * ns */
	uint64_t live_blocks;
	/* Of both, the part of address spaces that have ended: removed at the next entry. */
	mma_wide leaving_load;
	uint64_t leaving_blocks;
	uint64_t events[MMA_TYPES];	/* entries of each type */
	uint64_t unknown_free;		/* frees and reallocs of addresses that were not live */
	uint64_t failed;		/* requests that got no memory */
	uint64_t replaced;		/* blocks whose address was returned again without a free */
};

/* A process: addresses are those of its address space. */
struct mma_space {
	struct mma_blocks blocks;
	mma_wide load;
};

void mma_space_release(struct mma_space *s);

/**
 * Count an entry of a process of the group. Its time must not be before that of the previous entry.
 * Returns 0, -ENOMEM, or -EOVERFLOW: the load over time does not fit into 128 bits.
 */
int mma_stats_add(struct mma_stats *s, struct mma_space *space, const struct mma_entry *e);

/* The process has no more entries: remove its blocks from the load, unless no other entry follows
 * in the group. */
void mma_stats_end_space(struct mma_stats *s, const struct mma_space *space);

/* The statistics extended to @now_ns, while the group still runs; on overflow not extended. */
struct mma_stats mma_stats_until(const struct mma_stats *s, uint64_t now_ns);

uint64_t mma_stats_duration(const struct mma_stats *s);	/* ns */
mma_wide mma_stats_average(const struct mma_stats *s);	/* bytes, rounded down */
uint64_t mma_stats_events(const struct mma_stats *s);	/* of all types */

/* Size for any mma_wide in decimal. */
#define MMA_WIDE_TEXT 40

/* Format in decimal at the end of @text; returns the first digit. */
const char *mma_wide_text(mma_wide n, char text[MMA_WIDE_TEXT]);

#endif
