/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_ORDER_H
#define MPROF_MMA_ORDER_H

#include "mma/entry.h"
#include "mma/firsts.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The order in which calls are written. A realloc is one entry, written when it returns, but its
 * old block may have been given to another thread before that. The entry of the thread that got the
 * address then waits for that of the realloc, and so do later entries that concern the same
 * addresses or come from the same thread; otherwise a reader would take the new block for the old
 * one.
 *
 * This relies on allocators that take the new block before they give the old one away.
 */
struct mma_pending {
	int32_t task;
	uint64_t ptr;	/* the block that the realloc was called with; reserved until its entry is
			   written */
	uint64_t turn;	/* when it began */
};

struct mma_held {
	struct mma_entry e;
	uint64_t turn;	/* when the call returned */
	uint64_t begin;	/* the same; for a realloc of a block: when it began */
};

struct mma_order {
	struct mma_pending *pending;	/* reallocs whose entry has not been written */
	size_t n_pending, cap_pending;
	struct mma_held *held;		/* in the order in which they returned */
	size_t n_held, cap_held;
	struct mma_firsts firsts;	/* of @held */
	uint64_t turn;
};

/* If so many entries wait, the oldest pending realloc is given up: it was left by longjmp and will
 * not return. */
#define MMA_ORDER_PATIENCE 16384

/* Receives the entries in their order. */
struct mma_sink {
	void (*put)(void *ctx, const struct mma_entry *e);
	void *ctx;
};

void mma_order_release(struct mma_order *o);

/* A realloc of the block at @ptr has begun. 0 or -ENOMEM. */
int mma_order_begin(struct mma_order *o, int32_t task, uint64_t ptr);

/* A call has returned: pass its entry to @sink, or hold it. 0 or -ENOMEM. */
int mma_order_add(struct mma_order *o, const struct mma_entry *e, const struct mma_sink *sink);

/**
 * The realloc of @task has returned or been abandoned; @e is its entry, NULL: none. Held entries
 * that waited for it follow, with the time @now.
 * Returns 0 or -ENOMEM.
 */
int mma_order_end(struct mma_order *o, int32_t task, uint64_t ptr, const struct mma_entry *e,
		  uint64_t now, const struct mma_sink *sink);

/* No more calls will return: pass all that are held to @sink, with the time @now. */
void mma_order_flush(struct mma_order *o, uint64_t now, const struct mma_sink *sink);

#endif
