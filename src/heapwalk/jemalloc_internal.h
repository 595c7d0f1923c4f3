/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_JEMALLOC_INTERNAL_H
#define MPROF_HEAPWALK_JEMALLOC_INTERNAL_H

/* What the files share that read jemalloc's books. Nobody else includes this. */

#include "heapwalk/jemalloc.h"

enum {
	/* The extent tree: a root and leaves of so many words, one for each page. */
	TREE_BITS = 18,
	TREE_WORDS = 1 << TREE_BITS,
	LEAF_SHIFT = TREE_BITS + 12, /* the memory of a leaf's pages, as a power of two */
	ROOTS = TREE_WORDS / 2,	     /* of them those that are a program's addresses */
	/* struct edata_s */
	EDATA_BITS = 0,
	EDATA_ADDR = 8,
	EDATA_SIZE = 16,
	EDATA_BITMAP = 64,
	EDATA_ALIGN = 128,
	REGIONS_MAX = 512, /* of a slab */
	N_BINS = 36,	   /* size classes that have slabs */
	N_CLASSES = 232,
	CACHED_CLASSES_MAX = 73, /* that a thread's cache can have */
};

enum extent_state { EXTENT_ACTIVE, EXTENT_DIRTY, EXTENT_MUZZY, EXTENT_RETAINED, N_SETTLED };

/* Memory that jemalloc keeps together: a slab of regions, a large block, or nothing at present. */
struct extent {
	taddr edata; /* where it is described */
	taddr base;  /* its first page */
	uint64_t size;
	taddr block; /* of a large one: anywhere in its first page */
	unsigned size_class, state, arena, n_free;
	bool slab;
	bool head; /* of a mapping, it is never joined with what is before it */
};

struct jemalloc {
	const struct still *s;
	struct still_reader r;
	taddr root;
	struct heap_walk *w;
	taddr *bases; /* where blocks of its own may begin, in order */
	size_t n_bases, cap_bases;
	taddr last_base;
};

/* Does a page's word in a leaf lead anywhere? One whose extent has gone keeps a few bits. */
static inline bool jemalloc_leads(uint64_t leaf_word)
{
	return leaf_word << 16 >> 16 >= EDATA_ALIGN;
}

/* What it leads to. False: that is no extent, or not in the state that the word says. */
bool jemalloc_extent(struct still_reader *r, uint64_t leaf_word, struct extent *e);

/* Can this be the word of the extent's first page? Only that has all: whether it is a head and, if
 * it is in use, whether it is a slab, and the size class. That of a last page may say what it was.
 */
static inline bool jemalloc_is_first(uint64_t leaf_word, const struct extent *e)
{
	if (e->head != (leaf_word >> 1 & 1))
		return false;
	return e->state != EXTENT_ACTIVE ||
	       (e->slab == (leaf_word & 1) && e->size_class == leaf_word >> 48);
}

/* Is this page one of the extent? */
static inline bool extent_has(const struct extent *e, taddr page)
{
	return page >= e->base && page - e->base < e->size;
}

/* Call @fn with each word that is not 0 from @start to @end, as far as the still has it; 0 goes on.
 * Returns what @fn did. */
int jemalloc_each_word(const struct still *s, taddr start, taddr end,
		       int (*fn)(void *ctx, taddr at, uint64_t word), void *ctx);

/* jemalloc_root.c: where the tree begins; 0: there is none. */
taddr jemalloc_find_root(const struct still *s);

/* jemalloc_extents.c: make sure that there is an arena of this number, which a piece is going to be
 * of; and all extents, in pieces. 0 or -ENOMEM. */
int jemalloc_add_arena(struct heap_walk *w, unsigned arena);
int jemalloc_extents_walk(struct jemalloc *j);

/* jemalloc_bases.c: @inside is in memory that jemalloc has for itself; and all such memory, in
 * pieces, when those of the extents are sorted. 0 or -ENOMEM. */
int jemalloc_add_base(struct jemalloc *j, taddr inside);
int jemalloc_bases_walk(struct jemalloc *j);

/* jemalloc_caches.c: of threads, when the pieces are sorted. */
void jemalloc_caches_walk(struct jemalloc *j);

#endif
