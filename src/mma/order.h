/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_ORDER_H
#define MPROF_MMA_ORDER_H

#include "mma/entry.h"
#include "mma/firsts.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The order in which calls are written. A realloc is one entry, written when it returns, but its
 * old block may have been handed to another thread before that. What got the address then waits for
 * the entry of the realloc, and with it all that has to do with the same addresses or comes later
 * from the same thread; otherwise a reader would take the new block for the old one.
 *
 * What is relied on: an allocator takes the new block before it gives the old one away.
 */
struct mma_pending {
	int32_t task;
	uint64_t ptr;	/* that its realloc was given; nobody's until the entry of that is
			   written */
	uint64_t turn;	/* when it began */
};

struct mma_held {
	struct mma_entry e;
	uint64_t turn;	/* when the call returned */
	uint64_t begin;	/* the same; of a realloc of a block: when it began */
};

struct mma_order {
	struct mma_pending *pending;	/* reallocs whose entry has not been written */
	size_t n_pending, cap_pending;
	struct mma_held *held;		/* by the turn in which they returned */
	size_t n_held, cap_held;
	struct mma_firsts firsts;	/* of those */
	uint64_t turn;
};

/* If so many wait, the realloc that began first is given up: it was left by a longjmp, and will not
 * return. */
#define MMA_ORDER_PATIENCE 16384

/* Where entries go when it is their turn. */
struct mma_sink {
	void (*put)(void *ctx, const struct mma_entry *e);
	void *ctx;
};

void mma_order_release(struct mma_order *o);

/* A realloc of the block at @ptr has begun. 0 or -ENOMEM. */
int mma_order_begin(struct mma_order *o, int32_t task, uint64_t ptr);

/* A call has returned: its entry goes to @sink, or waits. 0 or -ENOMEM. */
int mma_order_add(struct mma_order *o, const struct mma_entry *e, const struct mma_sink *sink);

/**
 * The realloc of @task has returned or been abandoned; @e is its entry, NULL: there is none. What
 * has waited for it follows, with the time @now.
 * Returns 0 or -ENOMEM.
 */
int mma_order_end(struct mma_order *o, int32_t task, uint64_t ptr, const struct mma_entry *e,
		  uint64_t now, const struct mma_sink *sink);

/* No call will return any more: all that waits goes to @sink, with the time @now. */
void mma_order_flush(struct mma_order *o, uint64_t now, const struct mma_sink *sink);

#endif
