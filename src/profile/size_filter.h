/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_SIZE_FILTER_H
#define MPROF_PROFILE_SIZE_FILTER_H

#include "alloc_event.h"

#include <stddef.h>

/*
 * Which requests are recorded, by their size (--min-size, --max-size). A block that is not recorded
 * leaves no trace: its free is dropped, and a realloc into the range becomes an allocation. There
 * is no list of such blocks: a block that the profile does not know is not recorded, whether for
 * its size or because it is older than the session.
 */
struct size_filter {
	uint64_t min, max;	/* bytes, both included */
	uint64_t requests;	/* of other sizes */
	uint64_t frees;		/* of blocks that are not recorded */
	/* Blocks that are not recorded and are held by a realloc. */
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
 * Filter an event: *@e may be changed into the event that the recorded blocks see.
 * @known  the block that it allocates, takes or resizes is recorded
 * Returns 1 (pass *@e on), 0 (drop it) or -ENOMEM.
 */
int size_filter_event(struct size_filter *s, struct alloc_event *e, bool known);

/* The key of a block: a block that is announced to us may have the same address as the one it was
 * cut from, so they differ in the highest bit, which no address of a program has. */
static inline uint64_t block_key(const struct alloc_event *e, taddr ptr)
{
	return ptr | (uint64_t)e->announced << 63;
}

/* Makes the event about the block with this @key. */
static inline void block_of_key(struct alloc_event *e, uint64_t key)
{
	e->announced = key >> 63;
	e->ptr = key & ~(UINT64_C(1) << 63);
}

#endif
