/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_BEFORE_H
#define MPROF_PROFILE_BEFORE_H

#include "base/addrtable.h"
#include "profile/profile_data.h"
#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Blocks from before: allocated before the session began, and found by walking the allocator's
 * books. Only their usable sizes are known, and no call chain. They are kept apart from the live
 * blocks: 16 bytes each, sorted by address, with an index of their pages. A block that is freed is
 * marked, and nothing is moved.
 */
struct before_block {
	taddr ptr;
	uint64_t usable; /* with BEFORE_GONE, BEFORE_MISSED, BEFORE_HELD */
};

#define BEFORE_GONE   (UINT64_C(1) << 63) /* it has been freed */
#define BEFORE_MISSED (UINT64_C(1) << 62) /* no free was seen */
#define BEFORE_HELD   (UINT64_C(1) << 61) /* a realloc holds it */

struct before_sum {
	uint64_t blocks, bytes;
};

/* By usable size. */
struct before_bin {
	uint64_t usable, blocks, freed, missed;
};

struct before {
	enum before_how how;
	struct before_sum found, freed;
	/* Blocks whose address was returned again though no free was seen. */
	struct before_sum missed;
	struct before_block *blocks;
	size_t n;
	struct addrtable pages;
	uint64_t walk_ns; /* how long the program was stopped for the walk */
	/* The sums by size that are left when before_finish() has freed the blocks. */
	struct before_bin *bins;
	size_t n_bins;
};

void before_release(struct before *b);

/* Only their number and bytes are known. */
void before_count(struct before *b, struct before_sum sum);

/**
 * Set the blocks that were found.
 * @blocks  from malloc(), sorted by address; owned by @b whatever is returned
 * Returns 0, -ENOMEM, or -EINVAL: they are not sorted, or an address or size is impossible.
 */
int before_set(struct before *b, struct before_block *blocks, size_t n);

/* Is there such a block at @ptr that has not gone? */
bool before_has(const struct before *b, taddr ptr);

/* The address @ptr was returned again: if its old block has not gone, its free was missed. */
void before_reuse(struct before *b, taddr ptr);

/* The block at @ptr is being freed, or a realloc holds it. False: there is none. If true, one of
 * the two below must follow: it has been freed, or it stays. */
bool before_hold(struct before *b, taddr ptr);
void before_held_freed(struct before *b, taddr ptr);
void before_held_stays(struct before *b, taddr ptr);

/* For a process made by fork: copies the blocks that have not gone, and those held by reallocs of
 * other threads. 0 or -ENOMEM. */
int before_fork(struct before *to, const struct before *from);

/* Begin anew with the blocks that have not gone. */
void before_restart(struct before *b);

/**
 * The blocks by usable size, in increasing order.
 * @bins  the caller's, to be freed with free()
 * Returns 0 or -ENOMEM.
 */
int before_list(const struct before *b, struct before_bin **bins, size_t *n);

/* The same, as a report needs it. *@to is freed by profile_data_free(). 0 or -ENOMEM. */
int before_data(const struct before *b, struct pd_before *to);

/* No more events will come: keeps only sums by size. 0 or -ENOMEM; then nothing has changed. */
int before_finish(struct before *b);

/* Bytes of memory in use. */
size_t before_memory(const struct before *b);

#endif
