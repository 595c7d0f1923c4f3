/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_POOLS_H
#define MPROF_BREAKPOINTS_POOLS_H

#include "base/idindex.h"
#include "taddr.h"

#include <stddef.h>

/* Which blocks came from which pool: they are freed together, unless they have been freed one by
 * one. */
struct pool;
struct pooled;

struct pools {
	struct pool *v;
	size_t n, cap;
	struct idindex index;	/* by address */
	struct pooled *blocks;
	size_t n_blocks, cap_blocks;
	struct idindex block_index;	/* by address, of blocks that are in a pool */
	uint32_t spare;		/* the first free record */
};

void pools_release(struct pools *p);

/* The same pools for a forked process. 0 or -ENOMEM. */
int pools_copy(struct pools *to, const struct pools *from);

/* A block has been given from a pool; it is in no other. 0 or -ENOMEM. */
int pools_put(struct pools *p, taddr pool, taddr block);

/* Forget a block, if it belonged to a pool. */
void pools_drop(struct pools *p, taddr block);

/* Take one block of a pool, the last that was given first; 0: there is none left. */
taddr pools_take(struct pools *p, taddr pool);

#endif
