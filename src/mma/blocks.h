/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_BLOCKS_H
#define MPROF_MMA_BLOCKS_H

#include "base/addrtable.h"

/*
 * The live blocks of an address space according to a log: address -> bytes. Takes 21 to 43 bytes
 * per block. (profile/live.h identifies blocks by the leaf that counts them; a log has no leaves.)
 */
struct mma_block {
	uint64_t ptr;	/* 0: an empty slot */
	uint64_t size;
};

struct mma_blocks {
	struct addrtable table;
};

void mma_blocks_release(struct mma_blocks *b);

/* Add a block at @ptr, not 0, or replace the one there: *was is set to its size. 1 (replaced), 0
 * (new) or -ENOMEM. */
int mma_blocks_put(struct mma_blocks *b, uint64_t ptr, uint64_t size, uint64_t *was);

/* True if there is a block at @ptr. */
bool mma_blocks_has(const struct mma_blocks *b, uint64_t ptr);

/* Prefetch the slot of @ptr, which will be looked up soon. */
void mma_blocks_expect(const struct mma_blocks *b, uint64_t ptr);

/* The next block from slot *@i on; *i is set to the slot after it. NULL: there are no more. */
const struct mma_block *mma_blocks_next(const struct mma_blocks *b, size_t *i);

/* Remove a block. False: there is none. */
bool mma_blocks_take(struct mma_blocks *b, uint64_t ptr, uint64_t *size);

#endif
