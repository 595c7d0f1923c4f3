/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks adjacent chunks: each has its size, and whether the one before it is in use. */
#include "heapwalk/glibc_internal.h"

#include <errno.h>

struct chunks {
	struct glibc *g;
	taddr end, top;
	/* The last chunk, whose state is known only when the next one's header is read; size 0:
	 * none. */
	taddr last;
	uint64_t last_size;
	bool last_is_main; /* it is not marked as being of a non-main arena */
};

static int add(struct chunks *c, taddr at, uint64_t size, enum heap_state state)
{
	int err = heap_blocks_add(&c->g->w->blocks, at, size, state);

	if (err != -ERANGE)
		return err;
	heap_check_fail(c->g->w, CHECK_CHUNKS, "a chunk of %llu bytes at 0x%llx is too large",
			(unsigned long long)size, (unsigned long long)at);
	return 0;
}

static int end_last(struct chunks *c, bool in_use)
{
	int err = c->last_size ? add(c, c->last, c->last_size, in_use ? HEAP_LIVE : HEAP_FREE) : 0;

	c->last_size = 0;
	return err;
}

static bool is_size(const struct chunks *c, taddr at, uint64_t word)
{
	return glibc_is_size(word, CHUNK_MAPPED, c->end - at);
}

/* Are there four valid chunks in a row, or the top? */
static bool begins_again(struct chunks *c, taddr at)
{
	enum { ENOUGH = 4 };

	for (int i = 0; i < ENOUGH; i++) {
		uint64_t word;

		if (at == c->top)
			return true;
		if (at >= c->end || !still_word(&c->g->r, at + CHUNK_SIZE, &word) ||
		    !is_size(c, at, word))
			return false;
		at += word & ~(uint64_t)CHUNK_BITS;
	}
	return true;
}

/* The program itself has taken memory with sbrk(2): find where chunks continue behind it. @end:
 * nowhere. */
static taddr resynchronise(struct chunks *c, taddr at)
{
	for (; at < c->end; at += CHUNK_UNIT) {
		/* Pages that are not in the still have no chunks. */
		if (!still_has(&c->g->r, at + CHUNK_SIZE, 8)) {
			at = still_behind_hole(c->g->s, at, CHUNK_UNIT) - CHUNK_UNIT;
			continue;
		}
		if (begins_again(c, at))
			return at;
	}
	return c->end;
}

static bool is_fence(uint64_t word)
{
	return word == (FENCE | CHUNK_PREV_IN_USE) || word == FENCE;
}

/* Two fences end a piece of the main arena. A heap of another arena ends with a size of 0, and a
 * fence in front of that, which may have the size of a chunk if that much was left. */
static bool ends_piece(struct chunks *c, taddr at, uint64_t word)
{
	const struct heap_blocks *b = &c->g->w->blocks;
	bool is_main = !b->pieces[b->n_pieces - 1].arena;
	uint64_t next = still_word_or_0(&c->g->r, at + FENCE + CHUNK_SIZE);

	if (is_main)
		return is_fence(word) && is_fence(next);
	return (word == CHUNK_PREV_IN_USE && (!c->last_size || c->last_is_main)) ||
	       (is_fence(word) && next == CHUNK_PREV_IN_USE);
}

/* There is no valid chunk: the piece ends, or is damaged. */
static int broken(struct chunks *c, taddr at, uint64_t word)
{
	bool ends = ends_piece(c, at, word);
	int err = ends && is_fence(word) ? end_last(c, word & CHUNK_PREV_IN_USE) : 0;

	c->last_size = 0;
	if (!ends)
		heap_check_fail(c->g->w, CHECK_CHUNKS, "0x%llx is the size at 0x%llx",
				(unsigned long long)word, (unsigned long long)at);
	return err;
}

int glibc_chunks_walk(struct glibc *g, taddr at, taddr end, taddr top, taddr *stopped)
{
	struct chunks c = {.g = g, .end = end, .top = top};
	int err = 0;

	while (!err && at < end) {
		uint64_t word = still_word_or_0(&g->r, at + CHUNK_SIZE);
		uint64_t size = word & ~(uint64_t)CHUNK_BITS;

		if (!is_size(&c, at, word)) {
			taddr behind = at + 2 * FENCE;

			err = broken(&c, at, word);
			at = resynchronise(&c, at + FENCE);
			/* What is behind the last fences is not malloc's. */
			if (at >= end && behind < end && is_fence(word)) {
				*stopped = behind;
				return err;
			}
			continue;
		}
		err = end_last(&c, word & CHUNK_PREV_IN_USE);
		if (!err && at == top)
			err = add(&c, at, size, HEAP_TOP);
		if (at == top) {
			*stopped = at + size;
			return err;
		}
		c.last = at;
		c.last_size = size;
		c.last_is_main = !(word & CHUNK_NON_MAIN);
		at += size;
	}
	*stopped = at;
	if (!err && c.last_size)
		heap_check_fail(g->w, CHECK_CHUNKS, "nothing ends the chunk at 0x%llx",
				(unsigned long long)c.last);
	return err;
}
