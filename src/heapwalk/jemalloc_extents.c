/* SPDX-License-Identifier: BSD-2-Clause */
/* jemalloc's extents, from its tree, in the order of addresses. */
#include "heapwalk/jemalloc_internal.h"

#include "base/array.h"

#include <errno.h>

/* No chunk is larger than this. */
#define CHUNK_MAX (UINT64_C(16) << 30)

struct extents {
	struct jemalloc *j;
	taddr leaf;  /* the leaf that is being walked ... */
	taddr first; /* ... and its first page */
	struct extent last;
	uint64_t last_word;
	uint64_t left; /* bytes of leaves that may still be read */
	taddr base;    /* the base block of the last edata */
};

static void wrong(struct extents *x, taddr page, const char *what)
{
	heap_check_fail(x->j->w, CHECK_CHUNKS, "the page at 0x%llx %s", (unsigned long long)page,
			what);
}

/* ---- the contents of an extent ---- */

static int add(struct extents *x, taddr at, uint64_t size, enum heap_state state)
{
	for (uint64_t n; size; at += n, size -= n) {
		n = size < CHUNK_MAX ? size : CHUNK_MAX;
		int err = heap_blocks_add(&x->j->w->blocks, at, n, state);

		if (err)
			return err;
	}
	return 0;
}

/* A bit that is set in the map is a free region. */
static int add_slab(struct extents *x, const struct extent *e)
{
	const uint64_t size = jemalloc_class_size(e->size_class), n = size ? e->size / size : 0;
	unsigned n_free = 0;

	if (e->size_class >= N_BINS || !n || n > REGIONS_MAX) {
		wrong(x, e->base, "is in a slab of regions of no size");
		return add(x, e->base, e->size, HEAP_OWN);
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t group = still_word_or_0(&x->j->r, e->edata + EDATA_BITMAP + i / 64 * 8);
		bool free = group >> i % 64 & 1;
		int err = add(x, e->base + i * size, size, free ? HEAP_BINNED : HEAP_LIVE);

		if (err)
			return err;
		n_free += free;
	}
	if (n_free != e->n_free)
		heap_check_fail(x->j->w, CHECK_BINS,
				"the slab at 0x%llx says that %u regions are free, its map %u",
				(unsigned long long)e->base, e->n_free, n_free);
	return add(x, e->base + n * size, e->size - n * size, HEAP_OWN);
}

/* Add a block that is too large for a chunk like one with a mapping of its own: the piece ends in
 * front of it, and a new one begins behind it. */
static int add_huge(struct extents *x, const struct extent *e, uint64_t usable)
{
	struct heap_walk *w = x->j->w;
	const struct heap_mapped block = {e->block, e->block, usable};
	int err = heap_blocks_add_mapped(&w->blocks, &block);

	w->blocks.pieces[w->blocks.n_pieces - 1].end = e->block;
	w->mapped.n++;
	w->mapped.bytes += usable;
	return err ? err
		   : heap_blocks_begin(&w->blocks, e->block + usable, e->base + e->size, e->arena);
}

/* A large block may begin anywhere in its first page, and has an extra page at the end for that. */
static int add_large(struct extents *x, const struct extent *e)
{
	const uint64_t usable = jemalloc_class_size(e->size_class), before = e->block - e->base;

	if (!usable || before > e->size || usable > e->size - before) {
		if (e->size_class < N_CLASSES)
			wrong(x, e->base, "is in a block that is larger than its pages");
		return add(x, e->base, e->size, HEAP_OWN);
	}
	int err = add(x, e->base, before, HEAP_OWN);
	if (!err)
		err = usable > CHUNK_MAX ? add_huge(x, e, usable)
					 : add(x, e->block, usable, HEAP_LIVE);
	return err ? err : add(x, e->block + usable, e->size - before - usable, HEAP_OWN);
}

int jemalloc_add_arena(struct heap_walk *w, unsigned arena)
{
	while (w->n_arenas <= arena) {
		if (ARRAY_RESERVE(&w->arenas, &w->cap_arenas, w->n_arenas))
			return -ENOMEM;
		w->arenas[w->n_arenas++] = (struct heap_arena){0};
	}
	return 0;
}

static int add_extent(struct extents *x, const struct extent *e)
{
	struct heap_walk *w = x->j->w;
	int err = jemalloc_add_arena(w, e->arena);

	if (!err)
		err = heap_blocks_begin(&w->blocks, e->base, e->base + e->size, e->arena);
	if (err)
		return err;
	w->arenas[e->arena].system += e->state == EXTENT_RETAINED ? 0 : e->size;
	if (e->state != EXTENT_ACTIVE)
		return add(x, e->base, e->size, HEAP_TOP);
	return e->slab ? add_slab(x, e) : add_large(x, e);
}

/* ---- the tree ---- */

/* Is all of the extent mapped? */
static bool is_mapped(const struct still *s, const struct extent *e)
{
	const struct still_area *a;

	for (taddr at = e->base; at - e->base < e->size; at = a->end)
		if (!(a = still_area_at(s, at)))
			return false;
	return true;
}

/* Of a slab all pages are in the tree, of other extents the first and the last. */
static int walk_page(void *ctx, taddr at, uint64_t word)
{
	struct extents *x = ctx;
	const taddr page = x->first + (at - x->leaf) / 8 * STILL_PAGE;
	struct extent e;

	if (!jemalloc_leads(word))
		return 0;
	if (!jemalloc_extent(&x->j->r, word, &e)) {
		wrong(x, page, "leads to nothing that could be its extent");
		return 0;
	}
	if (extent_has(&x->last, page)) {
		if (e.edata != x->last.edata)
			wrong(x, page, "is in two extents");
		return 0;
	}
	if (page != e.base || !jemalloc_is_first(word, &e)) {
		wrong(x, page, "leads to an extent that it is not the first page of");
		return 0;
	}
	if (e.state == EXTENT_ACTIVE && !is_mapped(x->j->s, &e)) {
		wrong(x, page, "leads to an extent that is not mapped");
		return 0;
	}
	if (e.state >= N_SETTLED)
		wrong(x, page, "is being given to another extent");
	x->last = e;
	int err = jemalloc_add_base(x->j, e.edata);
	return err ? err : add_extent(x, &e);
}

static int walk_leaf(void *ctx, taddr at, uint64_t word)
{
	struct extents *x = ctx;

	x->leaf = word;
	x->first = (at - x->j->root) / 8 << LEAF_SHIFT;
	if (x->left < TREE_WORDS * 8) {
		wrong(x, x->first, "would be in more leaves than there is memory for");
		return -ENOENT;
	}
	x->left -= TREE_WORDS * 8;
	int err = jemalloc_add_base(x->j, word);
	return err ? err : jemalloc_each_word(x->j->s, word, word + TREE_WORDS * 8, walk_page, x);
}

int jemalloc_extents_walk(struct jemalloc *j)
{
	struct extents x = {.j = j};

	for (size_t i = 0; i < j->s->n_areas; i++)
		if (j->s->areas[i].writable)
			x.left += j->s->areas[i].end - j->s->areas[i].start;
	int err = jemalloc_each_word(j->s, j->root, j->root + ROOTS * 8, walk_leaf, &x);
	return err == -ENOENT ? 0 : err;
}
