/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_JEMALLOC_INTERNAL_H
#define MPROF_HEAPWALK_JEMALLOC_INTERNAL_H

/* What the files that walk jemalloc's heap share. Not to be included by others. */

#include "heapwalk/jemalloc.h"

enum {
	/* The extent tree: a root and leaves of so many words; a leaf has one for each page. */
	TREE_BITS = 18,
	TREE_WORDS = 1 << TREE_BITS,
	LEAF_SHIFT = TREE_BITS + 12, /* log2 of the memory that a leaf covers */
	ROOTS = TREE_WORDS / 2,	     /* of the root's words, those for a program's addresses */
	/* struct edata_s */
	EDATA_BITS = 0,
	EDATA_ADDR = 8,
	EDATA_SIZE = 16,
	EDATA_BITMAP = 64,
	EDATA_ALIGN = 128,
	REGIONS_MAX = 512, /* of a slab */
	N_BINS = 36,	   /* size classes that have slabs */
	N_CLASSES = 232,
	CACHED_CLASSES_MAX = 73, /* size classes that a thread's cache can have */
	/* What a thread has is in static thread-local storage, at the same distance in front of the
	 * thread pointer in all threads: behind the rest of jemalloc's, and sometimes the
	 * program's. */
	NEAR = 128 << 10,
	FAR = 1 << 20,
	FAR_TASKS = 64, /* tasks for which FAR is searched */
};

enum extent_state { EXTENT_ACTIVE, EXTENT_DIRTY, EXTENT_MUZZY, EXTENT_RETAINED, N_SETTLED };

/* A range of pages that jemalloc manages as one: a slab of regions, a large block, or unused. */
struct extent {
	taddr edata; /* the address of its descriptor */
	taddr base;  /* its first page */
	uint64_t size;
	taddr block; /* of a large one: where the block begins, anywhere in the first page */
	unsigned size_class, state, arena, n_free;
	bool slab;
	bool head; /* the first of a mapping: it is never merged with the extent before it */
};

struct jemalloc {
	const struct still *s;
	struct still_reader r;
	taddr root;
	struct heap_walk *w;
	taddr *bases; /* addresses at which base blocks may begin, in order */
	size_t n_bases, cap_bases;
	taddr last_base;
	uint64_t lookups; /* what a thread remembers of the tree is so far in front of its thread
			     pointer; 0: it has not been found */
	int err;	  /* of what goes on for all that: 0 or -ENOMEM */
};

/* Does a page's word in a leaf point at an extent? If the extent has gone a few bits are left. */
static inline bool jemalloc_leads(uint64_t leaf_word)
{
	return leaf_word << 16 >> 16 >= EDATA_ALIGN;
}

/* Read the extent that it points at. False: that is no extent, or not in the state that the word
 * says. */
bool jemalloc_extent(struct still_reader *r, uint64_t leaf_word, struct extent *e);

/* Can this be the word of the extent's first page? Only that is always up to date: whether it is a
 * head and, if it is in use, whether it is a slab, and the size class. The last page's may be
 * old. */
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

/* Call @fn with each word from @start to @end that is not 0 and in the still, until it returns
 * something other than 0. Returns what @fn returned last. */
int jemalloc_each_word(const struct still *s, taddr start, taddr end,
		       int (*fn)(void *ctx, taddr at, uint64_t word), void *ctx);

/* jemalloc_root.c: the address of the tree's root; 0: there is none. */
taddr jemalloc_find_root(const struct still *s);

/* jemalloc_extents.c: make sure that there is an arena with this number, before a piece of it is
 * added; and add all extents, in pieces. 0 or -ENOMEM. */
int jemalloc_add_arena(struct heap_walk *w, unsigned arena);
int jemalloc_extents_walk(struct jemalloc *j);

/* jemalloc_bases.c: note that @inside is in memory that jemalloc has for itself; and add all such
 * memory, in pieces, when those of the extents are sorted. 0 or -ENOMEM. */
int jemalloc_add_base(struct jemalloc *j, taddr inside);
int jemalloc_bases_walk(struct jemalloc *j);

/* jemalloc_lookups.c: what threads remember of the tree becomes jemalloc's own; and that of a
 * thread which is not a task of the still. An error is in @j. */
void jemalloc_lookups_walk(struct jemalloc *j);
void jemalloc_lookups_take(struct jemalloc *j, taddr tp);

/* jemalloc_caches.c: thread caches, when the pieces are sorted, and the lookups of threads that do
 * not exist any more. */
void jemalloc_caches_walk(struct jemalloc *j);

#endif
