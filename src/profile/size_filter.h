/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_SIZE_FILTER_H
#define MPROF_PROFILE_SIZE_FILTER_H

#include "alloc_event.h"

#include <stddef.h>

/*
 * Which requests are recorded, by their size (--min-size, --max-size). A block that is not leaves
 * no trace: its free is no free, and resizing it into the range is an allocation. Nor is it
 * remembered: what the profile does not know has not been recorded, be it for its size or because
 * it is older.
 */
struct size_filter {
	uint64_t min, max;	/* bytes, both included */
	uint64_t requests;	/* of other sizes */
	uint64_t frees;		/* of blocks that are not recorded */
	/* Blocks that are not recorded and that a realloc holds. */
	struct size_filter_held {
		uint64_t block;
		int32_t task;
	} *held;
	size_t n_held, cap_held;
};

void size_filter_release(struct size_filter *s);

/* Is anything dropped at all? */
static inline bool size_filter_is_open(const struct size_filter *s)
{
	return !s->min && s->max == UINT64_MAX;
}

/* Is a request of this size recorded? */
static inline bool size_filter_passes(const struct size_filter *s, uint64_t size)
{
	return size >= s->min && size <= s->max;
}

/**
 * Pass on an event, or the event that it is for those who know recorded blocks only: *@e is
 * changed.
 * @known  the block that it allocates, takes or resizes is recorded
 * Returns 1 (pass it on), 0 (it is nothing to them) or -ENOMEM.
 */
int size_filter_event(struct size_filter *s, struct alloc_event *e, bool known);

/* What a block is known by: one that is announced and the one it was cut from may have the same
 * address, and no address of a program has its highest bit set. */
static inline uint64_t block_key(const struct alloc_event *e, taddr ptr)
{
	return ptr | (uint64_t)e->announced << 63;
}

/* The block that is known by @key, as the one that an event of it is about. */
static inline void block_of_key(struct alloc_event *e, uint64_t key)
{
	e->announced = key >> 63;
	e->ptr = key & ~(UINT64_C(1) << 63);
}

#endif
