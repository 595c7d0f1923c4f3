/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_BLOCKS_H
#define MPROF_HEAPWALK_BLOCKS_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The chunks that an allocator's memory is divided into, in nine bytes each, so that ten million of
 * them take little memory. A chunk is a piece that the allocator has cut off; the block that is
 * handed out begins behind the chunk's header.
 */

enum {
	HEAP_UNIT = 8, /* chunks are aligned to it, and so are their sizes */
};

/* How an allocator's blocks are placed in their chunks. */
struct heap_cut {
	uint8_t header;		 /* bytes from a chunk's start to its block's ... */
	uint8_t overhead;	 /* ... and how much less than the chunk's size the block may use */
	uint8_t mapped_overhead; /* the same for a block with a mapping of its own */
};

enum heap_state {
	HEAP_LIVE,   /* handed out */
	HEAP_CACHED, /* free, in a thread's cache */
	HEAP_FAST,   /* free, in a fastbin */
	HEAP_FREE,   /* free, not found in a bin yet */
	HEAP_BINNED, /* free, in a bin */
	HEAP_TOP,    /* the rest of the arena that has not been cut yet */
	HEAP_OWN,    /* used by the allocator itself */
	N_HEAP_STATES
};

/* In units of HEAP_UNIT; @at is relative to the start of the piece. */
struct heap_chunk {
	uint32_t at, size;
};

/* Memory of an arena; its chunks are first to first + n - 1, in order. It has 32 GiB at most. */
struct heap_piece {
	taddr start, end;
	size_t first, n;
	unsigned arena;
};

/* A block with a mapping of its own: the pages [start, start + size). */
struct heap_mapped {
	taddr start, chunk;
	uint64_t size;
};

struct heap_blocks {
	struct heap_cut cut;
	struct heap_piece *pieces; /* in order, after heap_blocks_sort() */
	size_t n_pieces, cap_pieces;
	struct heap_chunk *chunks;
	uint8_t *states; /* enum heap_state, as many as chunks */
	size_t n_chunks, cap_chunks, cap_states;
	struct heap_mapped *mapped; /* in order */
	size_t n_mapped, cap_mapped;
};

#define HEAP_NO_CHUNK SIZE_MAX

void heap_blocks_release(struct heap_blocks *b);

/* Begin a new piece, for the chunks that are added next. 0 or -ENOMEM. */
int heap_blocks_begin(struct heap_blocks *b, taddr start, taddr end, unsigned arena);

/* Add a chunk to the last piece, behind those that it has and in front of its end; a piece that
 * gets too large is split. 0, -ENOMEM, or -ERANGE: the chunk is too large. */
int heap_blocks_add(struct heap_blocks *b, taddr chunk, uint64_t size, enum heap_state state);

/* Add a block with a mapping of its own. 0 or -ENOMEM. */
int heap_blocks_add_mapped(struct heap_blocks *b, const struct heap_mapped *m);

/* To be called when all pieces have been added. */
void heap_blocks_sort(struct heap_blocks *b);

/* The number of the chunk that begins at @at; HEAP_NO_CHUNK: there is none. After sorting. */
size_t heap_blocks_find(const struct heap_blocks *b, taddr at);

/* The number of the chunk that contains @at; HEAP_NO_CHUNK: there is none. After sorting. */
size_t heap_blocks_around(const struct heap_blocks *b, taddr at);

/* A live block. */
struct heap_block {
	taddr at;
	uint64_t usable;
	bool mapped; /* it has a mapping of its own */
};

/* Call @fn with each live block, in the order of addresses, until it returns something other than
 * 0. Returns what @fn returned last. */
int heap_blocks_each_live(const struct heap_blocks *b,
			  int (*fn)(void *ctx, const struct heap_block *block), void *ctx);

/* The piece that contains @at; NULL: none. */
const struct heap_piece *heap_blocks_piece(const struct heap_blocks *b, taddr at);

static inline taddr heap_chunk_at(const struct heap_piece *p, const struct heap_chunk *c)
{
	return p->start + (uint64_t)c->at * HEAP_UNIT;
}

static inline uint64_t heap_chunk_size(const struct heap_chunk *c)
{
	return (uint64_t)c->size * HEAP_UNIT;
}

/* The address of a chunk's block, and how many bytes of it the program may use. */
static inline taddr heap_block_at(const struct heap_blocks *b, const struct heap_piece *p,
				  const struct heap_chunk *c)
{
	return heap_chunk_at(p, c) + b->cut.header;
}

static inline uint64_t heap_block_usable(const struct heap_blocks *b, const struct heap_chunk *c)
{
	return heap_chunk_size(c) - b->cut.overhead;
}

static inline taddr heap_mapped_at(const struct heap_blocks *b, const struct heap_mapped *m)
{
	return m->chunk + b->cut.header;
}

static inline uint64_t heap_mapped_usable(const struct heap_blocks *b, const struct heap_mapped *m)
{
	return m->start + m->size - m->chunk - b->cut.mapped_overhead;
}

#endif
