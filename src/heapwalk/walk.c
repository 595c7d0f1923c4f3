/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapwalk/walk.h"

#include "base/array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *const heap_check_names[N_HEAP_CHECKS] = {
	[CHECK_MUTEXES] = "mutexes",	  [CHECK_CHUNKS] = "chunks",
	[CHECK_SYSTEM] = "system bytes",  [CHECK_BINS] = "bins",
	[CHECK_LISTS] = "lists",	  [CHECK_CACHES] = "thread caches",
	[CHECK_KEY] = "thread cache key", [CHECK_MAPPED] = "mapped blocks",
	[CHECK_MEMORY] = "memory",
};

void heap_walk_release(struct heap_walk *w)
{
	heap_blocks_release(&w->blocks);
	free(w->arenas);
	free(w->own);
	*w = (struct heap_walk){0};
}

int heap_add_own(struct heap_walk *w, taddr start, taddr end)
{
	if (ARRAY_RESERVE(&w->own, &w->cap_own, w->n_own))
		return -ENOMEM;
	w->own[w->n_own++] = (struct heap_own){start, end};
	return 0;
}

void heap_check_fail(struct heap_walk *w, enum heap_check_kind kind, const char *fmt, ...)
{
	struct heap_check *c = &w->checks[kind];
	va_list ap;

	if (c->failures++)
		return;
	va_start(ap, fmt);
	vsnprintf(c->first, sizeof c->first, fmt, ap);
	va_end(ap);
}

void heap_check_skip(struct heap_walk *w, enum heap_check_kind kind, const char *why)
{
	w->checks[kind].done = false;
	snprintf(w->checks[kind].first, sizeof w->checks[kind].first, "%s", why);
}

bool heap_walk_is_doubtful(const struct heap_walk *w)
{
	for (int i = 0; i < N_HEAP_CHECKS; i++)
		if (w->checks[i].failures)
			return true;
	return false;
}

void heap_check_memory(struct heap_walk *w, const struct still *s)
{
	if (s->unread)
		heap_check_fail(w, CHECK_MEMORY, "%llu bytes could not be read",
				(unsigned long long)s->unread);
	if (s->left_out)
		heap_check_fail(w, CHECK_MEMORY,
				"areas of %llu bytes are too large to be looked at",
				(unsigned long long)s->left_out);
}

void heap_walk_sum_up(struct heap_walk *w)
{
	const struct heap_blocks *b = &w->blocks;

	for (size_t p = 0; p < b->n_pieces; p++) {
		struct heap_arena *a = &w->arenas[b->pieces[p].arena];

		for (size_t i = b->pieces[p].first; i < b->pieces[p].first + b->pieces[p].n; i++) {
			struct heap_sum *sum = &a->sums[b->states[i]];

			sum->n++;
			sum->bytes += b->states[i] == HEAP_LIVE
					      ? heap_block_usable(b, &b->chunks[i])
					      : heap_chunk_size(&b->chunks[i]);
		}
	}
}

struct heap_sum heap_walk_sum(const struct heap_walk *w, enum heap_state state)
{
	struct heap_sum sum = {0};

	for (size_t i = 0; i < w->n_arenas; i++) {
		sum.n += w->arenas[i].sums[state].n;
		sum.bytes += w->arenas[i].sums[state].bytes;
	}
	return sum;
}

struct heap_sum heap_walk_live(const struct heap_walk *w)
{
	struct heap_sum sum = heap_walk_sum(w, HEAP_LIVE);

	return (struct heap_sum){sum.n + w->mapped.n, sum.bytes + w->mapped.bytes};
}

/* ---- bins ---- */

enum { SMALL = 1 << 16 }; /* in units: smaller chunks are counted in an array */

static int by_usable(const void *left, const void *right)
{
	const struct heap_bin *a = left, *b = right;

	return a->usable < b->usable ? -1 : a->usable > b->usable;
}

/* Merge rows of the same size. Returns how many are left. */
static size_t join(struct heap_bin *v, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		if (to && v[to - 1].usable == v[i].usable)
			v[to - 1].n += v[i].n;
		else
			v[to++] = v[i];
	}
	return to;
}

static bool is_large(const struct heap_blocks *b, size_t i)
{
	return b->states[i] == HEAP_LIVE && b->chunks[i].size >= SMALL;
}

struct heap_bin *heap_walk_bins(const struct heap_walk *w, size_t *n, int *err)
{
	const struct heap_blocks *b = &w->blocks;
	uint64_t *small = calloc(SMALL, sizeof *small);
	size_t large = 0;

	*n = 0;
	for (size_t i = 0; small && i < b->n_chunks; i++) {
		large += is_large(b, i);
		if (b->states[i] == HEAP_LIVE && b->chunks[i].size < SMALL)
			small[b->chunks[i].size]++;
	}
	struct heap_bin *v = small ? malloc((SMALL + large + b->n_mapped) * sizeof *v) : NULL;
	*err = v ? 0 : -ENOMEM;
	for (size_t i = 0; v && i < SMALL; i++)
		if (small[i])
			v[(*n)++] = (struct heap_bin){i * HEAP_UNIT - b->cut.overhead, small[i]};
	free(small);
	for (size_t i = 0; v && large && i < b->n_chunks; i++)
		if (is_large(b, i))
			v[(*n)++] = (struct heap_bin){
				heap_block_usable(b, &b->chunks[i]), 1};
	for (size_t i = 0; v && i < b->n_mapped; i++) {
		v[(*n)++] = (struct heap_bin){heap_mapped_usable(b, &b->mapped[i]), 1};
	}
	if (v) {
		qsort(v, *n, sizeof *v, by_usable);
		*n = join(v, *n);
	}
	return v;
}
