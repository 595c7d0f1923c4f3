/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapwalk/resident.h"

#include "base/array.h"
#include "base/search.h"

#include <errno.h>
#include <stdlib.h>

void resident_release(struct resident *r)
{
	free(r->v);
	*r = (struct resident){0};
}

int resident_add(const struct page_range *range, void *ctx)
{
	struct resident *r = ctx;

	if (range->zero || range->swapped)
		return 0;
	if (r->n && r->v[r->n - 1].end == range->start) {
		r->v[r->n - 1].end = range->end;
		return 0;
	}
	if (ARRAY_RESERVE(&r->v, &r->cap, r->n))
		return -ENOMEM;
	r->v[r->n++] = *range;
	return 0;
}

uint64_t resident_bytes(struct resident *r, taddr start, taddr end)
{
	uint64_t bytes = 0;
	size_t i = r->last;

	if (i >= r->n || r->v[i].end <= start || (i && r->v[i - 1].end > start))
		i = SEARCH_FIRST(r->n, k, r->v[k].end > start);
	r->last = i;
	for (; i < r->n && r->v[i].start < end; i++) {
		taddr from = r->v[i].start > start ? r->v[i].start : start;
		taddr to = r->v[i].end < end ? r->v[i].end : end;

		bytes += to > from ? to - from : 0;
	}
	return bytes;
}
