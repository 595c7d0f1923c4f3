/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_FIRSTS_H
#define MPROF_MMA_FIRSTS_H

#include "base/addrtable.h"
#include "mma/entry.h"

/* Of entries that wait, by the turns in which they came: which was the first that has to do with a
 * block, and which of a task. So that each new one need not be compared with all. */
struct mma_firsts {
	struct addrtable blocks, tasks;
};

#define MMA_NO_TURN UINT64_MAX

void mma_firsts_release(struct mma_firsts *f);

/* There is none. As many as there were can be added again without needing memory. */
void mma_firsts_clear(struct mma_firsts *f);

/* @turn is later than all that were added. 0 or -ENOMEM. */
int mma_firsts_add(struct mma_firsts *f, const struct mma_entry *e, uint64_t turn);

/* The turn of the first one, or MMA_NO_TURN; of block 0 there is none. */
uint64_t mma_firsts_of_block(const struct mma_firsts *f, uint64_t ptr);
uint64_t mma_firsts_of_task(const struct mma_firsts *f, uint32_t tid);

/* The block that a realloc was given; 0: it is none. */
static inline uint64_t mma_old_block(const struct mma_entry *e)
{
	return e->type == MMA_REALLOC ? e->old_ptr : 0;
}

#endif
