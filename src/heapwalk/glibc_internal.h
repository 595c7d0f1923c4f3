/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_GLIBC_INTERNAL_H
#define MPROF_HEAPWALK_GLIBC_INTERNAL_H

#include "heapwalk/glibc.h"

/* What the files that walk glibc's heap share. Source: malloc/malloc.c and malloc/arena.c of glibc,
 * 2.26 to 2.41. */

enum {
	/* Offsets from the bins: struct malloc_state. */
	STATE_FASTBINS = -96,
	STATE_TOP = -16,
	STATE_NEXT = 2048,
	STATE_SYSTEM = 2072,
	STATE_END = 2088,
	N_BINS = 127,
	N_FASTBINS = 10,
	WITH_FASTBINS = 0x60, /* the least before_bins of an arena with fastbins */
	/* Chunks: their alignment; the offset of a chunk's block; how much smaller than the chunk
	 * the usable size is, as the block reaches into the next chunk's header; and the same if
	 * there is no next one. */
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
	FENCE = 16,	/* the size of the fence that ends a piece, and of no chunk */
	CHUNK_SIZE = 8, /* the offset of the size in a chunk */
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

/* How links between free blocks are stored: from 2.32 on they are mangled. */
enum glibc_mangling { LINKS_UNKNOWN, LINKS_PLAIN, LINKS_MANGLED };

struct glibc {
	const struct still *s;
	struct still_reader r;
	struct glibc_arenas arenas;
	struct glibc_params params;
	enum glibc_mangling links; /* as learned from the lists that were walked */
	uint64_t steps;		   /* that may still be made to learn that, see
				      glibc_links_learn() */
	uint64_t heaps;		   /* that may still be examined, of all arenas */
	taddr key;		   /* of blocks in caches; 0: none was seen yet */
	bool all_caches;	   /* all have been found */
	struct heap_walk *w;
};

/* The address of an arena's bins. */
static inline taddr glibc_bins(const struct glibc *g, taddr arena)
{
	return arena + g->arenas.before_bins;
}

/* glibc_params.c */
void glibc_params_find(struct glibc *g);

/* glibc_chunks.c */
/*
 * Add the chunks from @at to @end to the last piece. @top: the arena's, which is its last chunk.
 * Returns 0 or -ENOMEM; *@stopped: behind the top, or where no more chunks were recognised.
 */
int glibc_chunks_walk(struct glibc *g, taddr at, taddr end, taddr top, taddr *stopped);

/* glibc_heaps.c */
/* The memory of all arenas, in pieces. 0 or -ENOMEM. */
int glibc_heaps_walk(struct glibc *g);

/* Is this arena in a heap of its own, as those of threads are, and the main one is not? */
bool glibc_has_heap(struct still_reader *r, taddr arena);

/* glibc_mapped.c: find blocks with mappings of their own, when the pieces are sorted. 0 or
 * -ENOMEM. */
int glibc_mapped_walk(struct glibc *g);

/* glibc_lists.c: fastbins and bins. */
void glibc_lists_walk(struct glibc *g);

/* glibc_caches.c: thread caches; and, when all lists have been walked, other blocks that have the
 * key of one. */
void glibc_caches_walk(struct glibc *g);
void glibc_keyed_take(struct glibc *g);

/* glibc_links.c */
/*
 * Learn, if it is not known yet, how links are stored, from a list of free chunks of @size that
 * look as if they were in use. A pointer to a chunk, as @first, points @behind bytes behind its
 * start. @first 0: the list is empty.
 */
void glibc_links_learn(struct glibc *g, taddr first, uint64_t size, unsigned behind);

/* Can this be a chunk's size, with none of the bits @none, if there are @room bytes? */
static inline bool glibc_is_size(uint64_t word, unsigned none, uint64_t room)
{
	uint64_t size = word & ~(uint64_t)CHUNK_BITS;

	return size >= CHUNK_MIN && size % CHUNK_UNIT == 0 && !(word & none) && size <= room;
}

/* The number of the chunk at @chunk, if it is in use and of @size; otherwise HEAP_NO_CHUNK. */
size_t glibc_live_chunk(const struct glibc *g, taddr chunk, uint64_t size);

/* The address that a free block's link points to, from what is stored at @at. */
static inline taddr glibc_link(taddr at, uint64_t stored, bool mangled)
{
	return mangled ? stored ^ at >> 12 : stored;
}

#endif
