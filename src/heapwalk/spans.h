/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_SPANS_H
#define MPROF_HEAPWALK_SPANS_H

#include "heapwalk/blocks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Live blocks by their addresses, whoever has told of them: for each address the block that it lies
 * in. Eight bytes a block, and four for each page of memory that has many.
 */

#define SPANS_NONE UINT32_MAX

enum { SPANS_UNIT = 8, SPANS_PAGE = 4096 };

/* In units of SPANS_UNIT; @at from the start of the area. Of a block that is too large for it the
 * size is UINT32_MAX, and it ends where its area does. */
struct span {
	uint32_t at, size;
};

/* Its blocks are first to first + n - 1, in order. It ends with the last one. */
struct span_area {
	taddr start, end;
	uint32_t first, n;
	uint32_t *pages; /* the first block that begins in each page, or behind it; NULL: few */
};

struct spans {
	struct span_area *areas; /* in order */
	size_t n_areas, cap_areas;
	struct span *v;
	size_t n, cap;
	size_t last; /* where the last address was found */
};

void spans_release(struct spans *s);

/* The next block, in order of addresses; one that begins in another is left out, of which the walk
 * knows. 0, -ENOMEM, or -ERANGE: there are too many. */
int spans_add(struct spans *s, taddr at, uint64_t size);

/* When all are there. 0 or -ENOMEM. */
int spans_index(struct spans *s);

/* All blocks of a walk that are live, by spans_add() and spans_index(). 0 or -errno as these. */
int spans_of_walk(struct spans *s, const struct heap_blocks *b);

/* The number of the block that has @at, so many bytes behind its start; SPANS_NONE: none. */
uint32_t spans_find(struct spans *s, taddr at, uint64_t *offset);

/* The first byte and the size of a block of an area. */
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
