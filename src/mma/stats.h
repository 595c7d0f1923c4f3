/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_STATS_H
#define MPROF_MMA_STATS_H

#include "mma/blocks.h"
#include "mma/entry.h"

/*
 * The statistics of a group of processes (doc/formats.md, section 3.3), entry by entry: the same
 * code counts a run while it goes on and a log of it afterwards, which is why they are equal.
 */
typedef unsigned __int128 mma_wide;

struct mma_stats {
	bool begun;
	uint64_t first_ns, last_ns;	/* times of the first and the last entry */
	mma_wide load;			/* requested bytes of all live blocks */
	mma_wide load_max;
	mma_wide load_total;		/* byte * ns */
	uint64_t live_blocks;
	/* Of both, what has ended with its address space: it goes when another entry follows. */
	mma_wide leaving_load;
	uint64_t leaving_blocks;
	uint64_t events[MMA_TYPES];	/* entries of each type */
	uint64_t unknown_free;		/* of an address that was not live, by free or realloc */
	uint64_t failed;		/* calls that asked for memory and got none */
	uint64_t replaced;		/* blocks whose address was given again without a free */
};

/* A process: addresses mean nothing outside of it. */
struct mma_space {
	struct mma_blocks blocks;
	mma_wide load;
};

void mma_space_release(struct mma_space *s);

/**
 * Count an entry of a process of the group. Its time must not be less than that of the entry
 * before. Returns 0, -ENOMEM, or -EOVERFLOW: the load over time does not fit into 128 bits.
 */
int mma_stats_add(struct mma_stats *s, struct mma_space *space, const struct mma_entry *e);

/* The process has told its last entry: its blocks leave the load, unless nothing else follows in
 * the group. */
void mma_stats_end_space(struct mma_stats *s, const struct mma_space *space);

/* The same up to @now_ns, for who asks in the middle; what cannot be told (-EOVERFLOW) is left
 * out. */
struct mma_stats mma_stats_until(const struct mma_stats *s, uint64_t now_ns);

uint64_t mma_stats_duration(const struct mma_stats *s);	/* ns */
mma_wide mma_stats_average(const struct mma_stats *s);	/* bytes, rounded down */
uint64_t mma_stats_events(const struct mma_stats *s);	/* of all types */

/* Room for any mma_wide in decimal. */
#define MMA_WIDE_TEXT 40

/* In decimal, into @text, whose end it returns the beginning of. */
const char *mma_wide_text(mma_wide n, char text[MMA_WIDE_TEXT]);

#endif
