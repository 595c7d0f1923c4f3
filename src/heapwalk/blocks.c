/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapwalk/blocks.h"

#include "base/array.h"
#include "base/search.h"

#include <errno.h>
#include <stdlib.h>

void heap_blocks_release(struct heap_blocks *b)
{
	free(b->pieces);
	free(b->chunks);
	free(b->states);
	free(b->mapped);
	*b = (struct heap_blocks){0};
}

int heap_blocks_begin(struct heap_blocks *b, taddr start, taddr end, unsigned arena)
{
	if (ARRAY_RESERVE(&b->pieces, &b->cap_pieces, b->n_pieces))
		return -ENOMEM;
	b->pieces[b->n_pieces++] = (struct heap_piece){start, end, b->n_chunks, 0, arena};
	return 0;
}

/* A piece ends at most so far behind its start: half of what a chunk's offset can express. */
#define PIECE_MAX (UINT64_C(16) << 30)

/* If @at is too far for the last piece, end that in front of @at and begin another one. */
static int go_on(struct heap_blocks *b, taddr at)
{
	struct heap_piece *p = &b->pieces[b->n_pieces - 1];
	const taddr end = p->end;

	if (at - p->start < PIECE_MAX)
		return 0;
	p->end = at;
	return heap_blocks_begin(b, at, end, p->arena);
}

int heap_blocks_add(struct heap_blocks *b, taddr chunk, uint64_t size, enum heap_state state)
{
	if (size / HEAP_UNIT > UINT32_MAX)
		return -ERANGE;
	if (go_on(b, chunk))
		return -ENOMEM;
	struct heap_piece *p = &b->pieces[b->n_pieces - 1];
	uint64_t at = (chunk - p->start) / HEAP_UNIT;
	if (ARRAY_RESERVE(&b->chunks, &b->cap_chunks, b->n_chunks) ||
	    ARRAY_RESERVE(&b->states, &b->cap_states, b->n_chunks))
		return -ENOMEM;
	b->chunks[b->n_chunks] = (struct heap_chunk){(uint32_t)at, (uint32_t)(size / HEAP_UNIT)};
	b->states[b->n_chunks++] = state;
	p->n++;
	return 0;
}

int heap_blocks_add_mapped(struct heap_blocks *b, const struct heap_mapped *m)
{
	if (ARRAY_RESERVE(&b->mapped, &b->cap_mapped, b->n_mapped))
		return -ENOMEM;
	b->mapped[b->n_mapped++] = *m;
	return 0;
}

static int by_start(const void *left, const void *right)
{
	const struct heap_piece *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

void heap_blocks_sort(struct heap_blocks *b)
{
	if (b->n_pieces)
		qsort(b->pieces, b->n_pieces, sizeof *b->pieces, by_start);
}

const struct heap_piece *heap_blocks_piece(const struct heap_blocks *b, taddr at)
{
	size_t i = SEARCH_FIRST(b->n_pieces, k, b->pieces[k].end > at);

	return i < b->n_pieces && b->pieces[i].start <= at ? &b->pieces[i] : NULL;
}

/* Chunk @n of a piece that has it: without any chunk there is no array. */
static const struct heap_chunk *nth(const struct heap_blocks *b, const struct heap_piece *p,
				    size_t n)
{
	return &b->chunks[p->first + n];
}

size_t heap_blocks_find(const struct heap_blocks *b, taddr at)
{
	const struct heap_piece *p = heap_blocks_piece(b, at);

	if (!p)
		return HEAP_NO_CHUNK;
	size_t i = SEARCH_FIRST(p->n, k, heap_chunk_at(p, nth(b, p, k)) >= at);
	return i < p->n && heap_chunk_at(p, nth(b, p, i)) == at ? p->first + i : HEAP_NO_CHUNK;
}

size_t heap_blocks_around(const struct heap_blocks *b, taddr at)
{
	const struct heap_piece *p = heap_blocks_piece(b, at);

	if (!p)
		return HEAP_NO_CHUNK;
	size_t i = SEARCH_FIRST(p->n, k, heap_chunk_at(p, nth(b, p, k)) > at);
	const struct heap_chunk *c = i ? nth(b, p, i - 1) : NULL;
	bool within = c && at - heap_chunk_at(p, c) < heap_chunk_size(c);
	return within ? p->first + i - 1 : HEAP_NO_CHUNK;
}

/* ---- live ones ---- */

typedef int block_fn(void *ctx, const struct heap_block *block);

static int each_of_piece(const struct heap_blocks *b, const struct heap_piece *p, block_fn *fn,
			 void *ctx)
{
	int err = 0;

	for (size_t i = p->first; !err && i < p->first + p->n; i++) {
		const struct heap_chunk *c = &b->chunks[i];

		if (b->states[i] == HEAP_LIVE)
			err = fn(ctx, &(struct heap_block){heap_block_at(b, p, c),
							   heap_block_usable(b, c), false});
	}
	return err;
}

int heap_blocks_each_live(const struct heap_blocks *b, block_fn *fn, void *ctx)
{
	size_t m = 0;
	int err = 0;

	for (size_t p = 0; !err && (p < b->n_pieces || m < b->n_mapped);) {
		const struct heap_mapped *next = m < b->n_mapped ? &b->mapped[m] : NULL;

		if (!next || (p < b->n_pieces && b->pieces[p].start < next->start)) {
			err = each_of_piece(b, &b->pieces[p++], fn, ctx);
			continue;
		}
		err = fn(ctx, &(struct heap_block){heap_mapped_at(b, next),
						   heap_mapped_usable(b, next), true});
		m++;
	}
	return err;
}
