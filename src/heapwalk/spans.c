/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapwalk/spans.h"

#include "base/array.h"
#include "base/search.h"

#include <errno.h>
#include <stdlib.h>

/* Blocks that are further apart are in different areas, so that pages between them take no
 * memory. */
enum { GAP = 1 << 20, MANY = 16 };

#define AREA_MAX ((uint64_t)UINT32_MAX * SPANS_UNIT)

void spans_release(struct spans *s)
{
	for (size_t i = 0; i < s->n_areas; i++)
		free(s->areas[i].pages);
	free(s->areas);
	free(s->v);
	*s = (struct spans){0};
}

/* ---- filling ---- */

static uint64_t round_up(uint64_t size)
{
	/* A request of 0 bytes still has an address. */
	return size ? (size + SPANS_UNIT - 1) / SPANS_UNIT * SPANS_UNIT : SPANS_UNIT;
}

static bool fits_last(const struct spans *s, taddr at, uint64_t size)
{
	const struct span_area *a = s->n_areas ? &s->areas[s->n_areas - 1] : NULL;

	return a && at - a->end < GAP && (at - a->start) % SPANS_UNIT == 0 && size < AREA_MAX &&
	       at - a->start < AREA_MAX - size;
}

int spans_add(struct spans *s, taddr at, uint64_t size)
{
	size = round_up(size);
	if (s->n_areas && at < s->areas[s->n_areas - 1].end)
		return 0;
	if (s->n >= SPANS_NONE || at + size < at)
		return -ERANGE;
	if (ARRAY_RESERVE(&s->v, &s->cap, s->n))
		return -ENOMEM;
	if (!fits_last(s, at, size)) {
		if (ARRAY_RESERVE(&s->areas, &s->cap_areas, s->n_areas))
			return -ENOMEM;
		s->areas[s->n_areas++] = (struct span_area){at, at, (uint32_t)s->n, 0, NULL};
	}
	struct span_area *a = &s->areas[s->n_areas - 1];
	uint64_t units = size / SPANS_UNIT;

	s->v[s->n++] = (struct span){(uint32_t)((at - a->start) / SPANS_UNIT),
				     units < UINT32_MAX ? (uint32_t)units : UINT32_MAX};
	a->end = at + size;
	a->n++;
	return 0;
}

static int index_area(const struct spans *s, struct span_area *a)
{
	uint64_t n = (a->end - a->start) / SPANS_PAGE + 2;
	uint32_t block = 0;

	if (a->n < MANY)
		return 0;
	a->pages = malloc(n * sizeof *a->pages);
	if (!a->pages)
		return -ENOMEM;
	for (uint64_t page = 0; page < n; page++) {
		while (block < a->n &&
		       (uint64_t)s->v[a->first + block].at * SPANS_UNIT < page * SPANS_PAGE)
			block++;
		a->pages[page] = block;
	}
	return 0;
}

int spans_index(struct spans *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->n_areas; i++)
		err = index_area(s, &s->areas[i]);
	return err;
}

static int add_block(void *ctx, const struct heap_block *block)
{
	return spans_add(ctx, block->at, block->usable);
}

int spans_of_walk(struct spans *s, const struct heap_blocks *b)
{
	int err = heap_blocks_each_live(b, add_block, s);

	return err ? err : spans_index(s);
}

/* ---- finding ---- */

static const struct span_area *area_of(struct spans *s, taddr at)
{
	if (!s->n_areas)
		return NULL;
	const struct span_area *last = &s->areas[s->last];

	if (at >= last->start && at < last->end)
		return last;
	size_t i = SEARCH_FIRST(s->n_areas, k, s->areas[k].end > at);
	if (i == s->n_areas || at < s->areas[i].start)
		return NULL;
	s->last = i;
	return &s->areas[i];
}

uint32_t spans_find(struct spans *s, taddr at, uint64_t *offset)
{
	const struct span_area *a = area_of(s, at);

	if (!a)
		return SPANS_NONE;
	uint64_t from = at - a->start;
	uint32_t low = 0, high = a->n;

	if (a->pages) {
		low = a->pages[from / SPANS_PAGE];
		high = a->pages[from / SPANS_PAGE + 1];
	}
	/* The last block that begins at @at or before; it may begin in an earlier page. */
	const struct span *v = s->v + a->first;
	uint32_t behind = low + (uint32_t)SEARCH_FIRST(high - low, i, span_at(a, &v[low + i]) > at);
	if (!behind)
		return SPANS_NONE;
	*offset = at - span_at(a, &v[behind - 1]);
	return *offset < span_size(a, &v[behind - 1]) ? a->first + behind - 1 : SPANS_NONE;
}

taddr spans_at(const struct spans *s, uint32_t block, uint64_t *size)
{
	size_t i = SEARCH_FIRST(s->n_areas, k, s->areas[k].first + s->areas[k].n > block);
	const struct span_area *a = &s->areas[i];

	*size = span_size(a, &s->v[block]);
	return span_at(a, &s->v[block]);
}
