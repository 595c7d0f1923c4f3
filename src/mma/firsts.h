/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_FIRSTS_H
#define MPROF_MMA_FIRSTS_H

#include "base/addrtable.h"
#include "mma/entry.h"

/* For held entries, by the turns at which they came: the first that concerns a block, and the first
 * of a task. With this a new entry need not be compared with all of them. */
struct mma_firsts {
	struct addrtable blocks, tasks;
};

#define MMA_NO_TURN UINT64_MAX

void mma_firsts_release(struct mma_firsts *f);

/* Remove all. As many entries as there were can be added again without allocating memory. */
void mma_firsts_clear(struct mma_firsts *f);

/* Add an entry; @turn must be later than all added before. 0 or -ENOMEM. */
int mma_firsts_add(struct mma_firsts *f, const struct mma_entry *e, uint64_t turn);

/* The turn of the first entry, or MMA_NO_TURN; block 0 has none. */
uint64_t mma_firsts_of_block(const struct mma_firsts *f, uint64_t ptr);
uint64_t mma_firsts_of_task(const struct mma_firsts *f, uint32_t tid);

/* The block that a realloc was called with; 0: not a realloc, or none. */
static inline uint64_t mma_old_block(const struct mma_entry *e)
{
	return e->type == MMA_REALLOC ? e->old_ptr : 0;
}

#endif
