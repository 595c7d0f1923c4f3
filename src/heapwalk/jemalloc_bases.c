/* SPDX-License-Identifier: BSD-2-Clause */
/* The base blocks that jemalloc has for itself: they contain the edata of extents, and leaves of
 * the tree. */
#include "heapwalk/jemalloc_internal.h"

#include "base/array.h"
#include "base/search.h"

#include <errno.h>

enum {
	BASE_UNIT = 2 << 20, /* they are aligned to it, and so are their sizes */
	/* struct base_block_s */
	BLOCK_SIZE = 0,
	BLOCK_BITS = 16,     /* like those of an extent ... */
	BLOCK_ARENA = 0xfff, /* ... of no arena */
};

int jemalloc_add_base(struct jemalloc *j, taddr inside)
{
	const taddr at = inside & ~(taddr)(BASE_UNIT - 1);

	if (at == j->last_base)
		return 0;
	j->last_base = at;
	size_t i = SEARCH_FIRST(j->n_bases, k, j->bases[k] >= at);
	if (i < j->n_bases && j->bases[i] == at)
		return 0;
	if (ARRAY_RESERVE(&j->bases, &j->cap_bases, j->n_bases))
		return -ENOMEM;
	memmove(j->bases + i + 1, j->bases + i, (j->n_bases++ - i) * sizeof *j->bases);
	j->bases[i] = at;
	return 0;
}

static bool is_block(struct jemalloc *j, taddr at, uint64_t *size)
{
	uint64_t bits;
	const struct still_area *a = still_area_at(j->s, at);

	return at % BASE_UNIT == 0 && a && still_word(&j->r, at + BLOCK_SIZE, size) && *size &&
	       *size % BASE_UNIT == 0 && *size <= a->end - at &&
	       still_word(&j->r, at + BLOCK_BITS, &bits) && (bits & 0xfff) == BLOCK_ARENA;
}

static int add_block(struct jemalloc *j, taddr at, uint64_t size)
{
	struct heap_blocks *b = &j->w->blocks;
	/* There may be no extent, and so no arena, yet. */
	int err = jemalloc_add_arena(j->w, 0);

	if (!err)
		err = heap_blocks_begin(b, at, at + size, 0);
	return err ? err : heap_blocks_add(b, at, size, HEAP_OWN);
}

int jemalloc_bases_walk(struct jemalloc *j)
{
	struct heap_blocks *b = &j->w->blocks;
	const size_t n = b->n_pieces;
	taddr end = 0;
	uint64_t size;

	for (size_t i = 0; i < j->n_bases; i++) {
		const taddr at = j->bases[i];

		if (at < end || !is_block(j, at, &size))
			continue;
		end = at + size;
		size_t k = SEARCH_FIRST(n, m, b->pieces[m].end > at);
		if (k < n && b->pieces[k].start < end)
			continue;
		int err = add_block(j, at, size);
		if (err)
			return err;
	}
	return 0;
}
