/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_GLIBC_INTERNAL_H
#define MPROF_HEAPWALK_GLIBC_INTERNAL_H

#include "heapwalk/glibc.h"

/* What the files of the walk of glibc's heap share. Source: malloc/malloc.c and malloc/arena.c of
 * glibc, 2.26 to 2.41. */

enum {
	/* From the bins on: struct malloc_state. */
	STATE_FASTBINS = -96,
	STATE_TOP = -16,
	STATE_NEXT = 2048,
	STATE_SYSTEM = 2072,
	STATE_END = 2088,
	N_BINS = 127,
	N_FASTBINS = 10,
	WITH_FASTBINS = 0x60, /* the least before_bins of those that have them */
	/* Chunks: what they are aligned to; how far behind one its block begins; what the block may
	 * use less, for it ends in the next chunk's header; and if there is no next one. */
	CHUNK_UNIT = 16,
	CHUNK_HEADER = 16,
	CHUNK_OVERHEAD = 8,
	MAPPED_OVERHEAD = 16,
	/* The low bits of a chunk's size. */
	CHUNK_PREV_IN_USE = 1,
	CHUNK_MAPPED = 2,
	CHUNK_NON_MAIN = 4,
	CHUNK_BITS = 7,
	CHUNK_MIN = 32,
	FENCE = 16,	/* the size of what ends a piece, and of no chunk */
	CHUNK_SIZE = 8, /* where the size is in a chunk */
	CHUNK_NEXT = 16,
	CHUNK_PREV = 24, /* in a list */
};

/* struct malloc_par, as far as it is needed. */
struct glibc_params {
	bool found;
	uint32_t n_mapped;
	uint64_t mapped_bytes;
	taddr sbrk_base;
	uint64_t cache_bins;
};

/* Which way links between free blocks are stored: from 2.32 on they are mangled. */
enum glibc_mangling { LINKS_UNKNOWN, LINKS_PLAIN, LINKS_MANGLED };

struct glibc {
	const struct still *s;
	struct still_reader r;
	struct glibc_arenas arenas;
	struct glibc_params params;
	enum glibc_mangling links;	/* as the lists tell that were walked */
	uint64_t steps;			/* that may still be made to learn that */
	taddr key;			/* of what is in caches; 0: none was seen yet */
	bool all_caches;		/* have been found */
	struct heap_walk *w;
};

/* Where an arena has its bins. */
static inline taddr glibc_bins(const struct glibc *g, taddr arena)
{
	return arena + g->arenas.before_bins;
}

/* glibc_params.c */
void glibc_params_find(struct glibc *g);

/* glibc_chunks.c */
/*
 * Add the chunks from @at to @end to the last piece. @top: the arena's, with which it ends.
 * Returns 0 or -ENOMEM; *@stopped is where it ended: behind the top, or where no chunk could be
 * told from there on.
 */
int glibc_chunks_walk(struct glibc *g, taddr at, taddr end, taddr top, taddr *stopped);

/* glibc_heaps.c */
/* The memory of all arenas, in pieces. 0 or -ENOMEM. */
int glibc_heaps_walk(struct glibc *g);

/* Does this arena stand in a heap of its own, as those of threads do, and the main one does not? */
bool glibc_has_heap(struct still_reader *r, taddr arena);

/* glibc_mapped.c: blocks with mappings of their own, when the pieces are sorted. 0 or -ENOMEM. */
int glibc_mapped_walk(struct glibc *g);

/* glibc_lists.c: fastbins and bins. */
void glibc_lists_walk(struct glibc *g);

/* glibc_caches.c: of threads; and, when all lists have been walked, what else looks as if it were
 * in one. */
void glibc_caches_walk(struct glibc *g);
void glibc_keyed_take(struct glibc *g);

/* glibc_links.c */
/*
 * Learn, if it is not known yet, how links are stored from a list of free chunks of @size that look
 * as if they were in use. What points at a chunk, as @first does, leads @behind bytes behind its
 * start. @first is 0: it is empty.
 */
void glibc_links_learn(struct glibc *g, taddr first, uint64_t size, unsigned behind);

/* Can this be a chunk's size, with none of the bits @none, where there is so much room? */
static inline bool glibc_is_size(uint64_t word, unsigned none, uint64_t room)
{
	uint64_t size = word & ~(uint64_t)CHUNK_BITS;

	return size >= CHUNK_MIN && size % CHUNK_UNIT == 0 && !(word & none) && size <= room;
}

/* The number of the chunk whose address is @chunk, if it is in use and of @size; HEAP_NO_CHUNK. */
size_t glibc_live_chunk(const struct glibc *g, taddr chunk, uint64_t size);

/* How free blocks point at each other: what is stored at @at, the link itself, where it leads. */
static inline taddr glibc_link(taddr at, uint64_t stored, bool mangled)
{
	return mangled ? stored ^ at >> 12 : stored;
}

#endif
