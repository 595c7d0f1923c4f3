/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which lost blocks are lost directly, the heads: blocks that no lost block points at, and one of
 * each cycle that no other lost block points at. In a depth-first search of all lost blocks, the
 * one that is finished last is pointed at only by blocks of its own cycle. So go from the last to
 * the first: a block that has not been reached from those before is a head.
 */
#include "heapwalk/marking.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

enum { WORD = 8 };

/* A block, and the part of it that has not been scanned yet. */
struct frame {
	uint32_t block;
	taddr at, end;
};

struct cliques {
	struct marking *m;
	uint8_t *met; /* by the current search */
	struct frame *frames;
	size_t n_frames, cap_frames;
	uint32_t *done; /* in the order in which they were finished */
	size_t n_done, cap_done;
};

static int enter(struct cliques *c, uint32_t block)
{
	uint64_t size;

	if (ARRAY_RESERVE(&c->frames, &c->cap_frames, c->n_frames))
		return -ENOMEM;
	taddr at = spans_at(&c->m->blocks, block, &size);
	c->frames[c->n_frames++] = (struct frame){block, at, at + size};
	c->met[block] = 1;
	return 0;
}

/* The next lost block that this one points at or into, and that has not been met; SPANS_NONE:
 * none. */
static uint32_t next_lost(struct cliques *c, struct frame *f)
{
	struct marking *m = c->m;

	while (f->at < f->end && f->end - f->at >= WORD) {
		uint64_t word, offset;

		if (!still_word(&m->words, f->at, &word)) {
			f->at = still_behind_hole(m->asked->still, f->at, WORD);
			continue;
		}
		f->at += WORD;
		if (word - m->low >= m->high - m->low)
			continue;
		uint32_t block = spans_find(&m->blocks, word, &offset);
		if (block != SPANS_NONE && !c->met[block] && m->seen[block] == SEEN_NOT)
			return block;
	}
	return SPANS_NONE;
}

/* Search everything that @block leads to; a block is finished when all that it leads to is. */
static int search(struct cliques *c, uint32_t block)
{
	int err = enter(c, block);

	while (!err && c->n_frames) {
		struct frame *f = &c->frames[c->n_frames - 1];
		uint32_t next = next_lost(c, f);

		if (next != SPANS_NONE) {
			err = enter(c, next);
			continue;
		}
		if (ARRAY_RESERVE(&c->done, &c->cap_done, c->n_done))
			return -ENOMEM;
		c->done[c->n_done++] = f->block;
		c->n_frames--;
	}
	return err;
}

static int search_all(struct cliques *c)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < c->m->blocks.n; i++)
		if (c->m->seen[i] == SEEN_NOT && !c->met[i])
			err = search(c, i);
	return err;
}

/* @block is a head: of everything that it leads to and that has not been met. */
static int head(struct cliques *c, struct reach *r, uint32_t block)
{
	struct reach_lost lost = {.block = block};
	int err;

	if (ARRAY_RESERVE(&r->lost, &r->cap_lost, r->n_lost))
		return -ENOMEM;
	c->n_done = 0;
	err = search(c, block);
	for (size_t i = 0; !err && i < c->n_done; i++) {
		uint64_t size;

		if (c->done[i] == block)
			continue;
		spans_at(&c->m->blocks, c->done[i], &size);
		r->classes[c->done[i]] = REACH_LOST_THROUGH;
		lost.through.n++;
		lost.through.bytes += size;
	}
	if (!err)
		r->lost[r->n_lost++] = lost;
	return err;
}

static int head_all(struct cliques *c, struct reach *r)
{
	size_t n = c->n_done;
	uint32_t *order = c->done;
	int err = 0;

	c->done = NULL;
	c->n_done = c->cap_done = 0;
	for (size_t i = 0; i < n; i++)
		c->met[order[i]] = 0;
	for (size_t i = n; !err && i > 0; i--)
		if (!c->met[order[i - 1]])
			err = head(c, r, order[i - 1]);
	free(order);
	return err;
}

int cliques_find(struct marking *m, struct reach *r)
{
	struct cliques c = {.m = m, .met = calloc(m->blocks.n + 1, 1)};
	int err = c.met ? search_all(&c) : -ENOMEM;

	if (!err)
		err = head_all(&c, r);
	free(c.met);
	free(c.frames);
	free(c.done);
	return err;
}
