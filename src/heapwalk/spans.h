/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_SPANS_H
#define MPROF_HEAPWALK_SPANS_H

#include "heapwalk/blocks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Live blocks by address, wherever they are known from: finds the block that contains an address.
 * Takes eight bytes for each block, and four for each page of memory with many.
 */

#define SPANS_NONE UINT32_MAX

enum { SPANS_UNIT = 8, SPANS_PAGE = 4096 };

/* In units of SPANS_UNIT; @at is relative to the start of the area. If a block is too large for
 * that its size is UINT32_MAX, and it ends where its area does. */
struct span {
	uint32_t at, size;
};

/* Its blocks are first to first + n - 1, in order. It ends with the last one. */
struct span_area {
	taddr start, end;
	uint32_t first, n;
	uint32_t *pages; /* for each page the first block that begins in it or later; NULL: there
			    are few blocks */
};

struct spans {
	struct span_area *areas; /* in order */
	size_t n_areas, cap_areas;
	struct span *v;
	size_t n, cap;
	size_t last; /* the area in which the last address was found */
};

void spans_release(struct spans *s);

/* Add the next block, in the order of addresses; one that begins inside of another is left out: the
 * walk reports such damage. 0, -ENOMEM, or -ERANGE: there are too many. */
int spans_add(struct spans *s, taddr at, uint64_t size);

/* To be called when all have been added. 0 or -ENOMEM. */
int spans_index(struct spans *s);

/* Add all live blocks of a walk, and index them. 0 or -errno as spans_add() and spans_index(). */
int spans_of_walk(struct spans *s, const struct heap_blocks *b);

/* The number of the block that contains @at, *offset bytes behind its start; SPANS_NONE: none. */
uint32_t spans_find(struct spans *s, taddr at, uint64_t *offset);

/* The address and the size of a block of an area. */
static inline taddr span_at(const struct span_area *a, const struct span *v)
{
	return a->start + (uint64_t)v->at * SPANS_UNIT;
}

static inline uint64_t span_size(const struct span_area *a, const struct span *v)
{
	return v->size < UINT32_MAX ? (uint64_t)v->size * SPANS_UNIT : a->end - span_at(a, v);
}

/* The same by its number. */
taddr spans_at(const struct spans *s, uint32_t block, uint64_t *size);

#endif
