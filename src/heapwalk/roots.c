/* SPDX-License-Identifier: BSD-2-Clause */
/* The roots: registers, stacks, and all memory that is not the allocator's. */
#include "heapwalk/reachable.h"

#include "base/array.h"
#include "heapwalk/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 8 };

/* Copied memory that is no root. */
struct holes {
	struct reach_range *v;
	size_t n, cap;
};

void reach_roots_release(struct reach_roots *r)
{
	free(r->ranges);
	free(r->words);
	free(r->stacks);
	*r = (struct reach_roots){0};
}

/* Append to one of the lists of ranges. */
static int add_range(struct reach_range **v, size_t *n, size_t *cap, taddr start, taddr end)
{
	if (start >= end)
		return 0;
	if (ARRAY_RESERVE(v, cap, *n))
		return -ENOMEM;
	(*v)[(*n)++] = (struct reach_range){start, end};
	return 0;
}

static int add_hole(struct holes *h, taddr start, taddr end)
{
	return add_range(&h->v, &h->n, &h->cap, start, end);
}

static int add_root(struct reach_roots *r, taddr start, taddr end)
{
	return add_range(&r->ranges, &r->n_ranges, &r->cap_ranges, start, end);
}

/* ---- the allocator's ---- */

/* Between two chunks of the main arena there may be memory that the program itself got by sbrk(2).
 * A block of glibc's ends a word behind its chunk; the top, which is the last chunk, does not. */
static int add_main_piece(struct holes *h, const struct heap_blocks *b, const struct heap_piece *p)
{
	uint64_t behind = (uint64_t)b->cut.header - b->cut.overhead;
	bool has_top = p->n && b->states[p->first + p->n - 1] == HEAP_TOP;
	taddr start = 0, end = 0;
	int err = 0;

	for (size_t i = p->first; !err && i < p->first + p->n; i++) {
		taddr at = heap_chunk_at(p, &b->chunks[i]);

		if (!start || at > end) {
			err = start ? add_hole(h, start, end + behind) : 0;
			start = at;
		}
		end = at + heap_chunk_size(&b->chunks[i]);
	}
	return err ? err : start ? add_hole(h, start, end + (has_top ? 0 : behind)) : 0;
}

static int add_allocators(struct holes *h, const struct heap_walk *w)
{
	const struct heap_blocks *b = &w->blocks;
	int err = 0;

	for (size_t i = 0; !err && i < w->n_own; i++)
		err = add_hole(h, w->own[i].start, w->own[i].end);
	for (size_t i = 0; !err && i < b->n_pieces; i++)
		err = b->pieces[i].arena ? add_hole(h, b->pieces[i].start, b->pieces[i].end)
					 : add_main_piece(h, b, &b->pieces[i]);
	for (size_t i = 0; !err && i < b->n_mapped; i++)
		err = add_hole(h, b->mapped[i].start, b->mapped[i].start + b->mapped[i].size);
	return err;
}

/* ---- stacks ---- */

/* Below a stack pointer are remains of calls that have returned. */
static int add_below_stacks(struct holes *h, const struct still *s)
{
	struct still_reader r = still_reader(s);
	int err = 0;

	for (size_t i = 0; !err && i < s->n_tasks; i++) {
		taddr start, end;

		if (!stack_of_task(&r, &s->tasks[i], &start, &end))
			continue;
		taddr lowest = stack_lowest(&r, &s->tasks[i], start, end);
		for (size_t k = 0; k < s->n_tasks; k++)
			if (s->tasks[k].sp >= start && s->tasks[k].sp < lowest)
				lowest = s->tasks[k].sp;
		if (lowest - start > STACK_RED_ZONE)
			err = add_hole(h, start, (lowest - STACK_RED_ZONE) & ~(taddr)(WORD - 1));
	}
	return err;
}

/* ---- what is left ---- */

static int by_start(const void *left, const void *right)
{
	const struct reach_range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* All copied memory without the holes, which are in order and may overlap. */
static int subtract(struct reach_roots *r, const struct still *s, const struct holes *h)
{
	size_t k = 0;
	int err = 0;

	for (size_t i = 0; !err && i < s->n_runs; i++) {
		taddr at = s->runs[i].start, end = at + s->runs[i].size;

		for (; !err && k < h->n && h->v[k].start < end; k++) {
			if (h->v[k].start > at)
				err = add_root(r, at, h->v[k].start);
			at = h->v[k].end > at ? h->v[k].end : at;
			if (h->v[k].end > end)
				break;
		}
		if (!err)
			err = add_root(r, at, end);
	}
	return err;
}

static int add_word(struct reach_roots *r, uint64_t word)
{
	if (ARRAY_RESERVE(&r->words, &r->cap_words, r->n_words))
		return -ENOMEM;
	r->words[r->n_words++] = word;
	return 0;
}

/*
 * A thread's dtv, the table of its thread-local memory, is in a block that begins 16 bytes in front
 * of where the second word at its thread pointer points. Source: struct tcbhead_t and INSTALL_DTV
 * of glibc.
 */
static int add_table(struct reach_roots *r, struct still_reader *words, taddr tp)
{
	enum { DTV = 8, BEFORE_DTV = 16 };
	uint64_t dtv = tp ? still_word_or_0(words, tp + DTV) : 0;

	return dtv ? add_word(r, dtv - BEFORE_DTV) : 0;
}

/* The stack of a thread that has ended is cached for a new one, and so is its dtv. */
static int add_kept_tables(struct reach_roots *r, struct still_reader *words)
{
	const taddr align = STACK_THREAD_ALIGN;
	int err = 0;

	for (size_t i = 0; !err && i < r->n_ranges; i++) {
		taddr at = (r->ranges[i].start + align - 1) & ~(align - 1);

		for (; !err && at < r->ranges[i].end; at += align)
			if (stack_has_thread(words, at))
				err = add_table(r, words, at);
	}
	return err;
}

/* A block that contains a stack pointer is a stack. */
static int add_task(struct reach_roots *r, struct still_reader *words, const struct still_task *t)
{
	int err = add_table(r, words, t->tp);

	if (err)
		return err;
	if (ARRAY_RESERVE(&r->stacks, &r->cap_stacks, r->n_stacks))
		return -ENOMEM;
	r->stacks[r->n_stacks++] = t->sp;
	return 0;
}

int reach_roots_find(struct reach_roots *r, const struct still *s, const struct heap_walk *walk)
{
	struct still_reader reader = still_reader(s);
	struct holes h = {0};
	int err = add_below_stacks(&h, s);

	*r = (struct reach_roots){0};
	if (!err && walk)
		err = add_allocators(&h, walk);
	if (h.n)
		qsort(h.v, h.n, sizeof *h.v, by_start);
	if (!err)
		err = subtract(r, s, &h);
	free(h.v);
	if (!err)
		err = add_kept_tables(r, &reader);
	for (size_t i = 0; !err && i < s->n_words; i++)
		err = add_word(r, s->words[i]);
	for (size_t i = 0; !err && i < s->n_tasks; i++)
		err = add_task(r, &reader, &s->tasks[i]);
	if (err)
		reach_roots_release(r);
	return err;
}
