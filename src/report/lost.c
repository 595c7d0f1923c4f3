/* SPDX-License-Identifier: BSD-2-Clause */
/* Lost blocks whose path is not known: by size, as nothing else is known of them. */
#include "report/lost.h"

#include <errno.h>
#include <stdlib.h>

static int by_usable(const void *left, const void *right)
{
	const struct lost_row *a = left, *b = right;

	return a->usable < b->usable ? -1 : a->usable > b->usable;
}

static int by_bytes(const void *left, const void *right)
{
	const struct lost_row *a = left, *b = right;
	uint64_t n = a->blocks.bytes + a->through.bytes, m = b->blocks.bytes + b->through.bytes;

	if (n != m)
		return n > m ? -1 : 1;
	return by_usable(left, right);
}

/* Joins rows of one size. Returns how many are left. */
static size_t join(struct lost_row *v, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		if (!to || v[to - 1].usable != v[i].usable) {
			v[to++] = v[i];
			continue;
		}
		heap_sum_add(&v[to - 1].blocks, v[i].blocks);
		heap_sum_add(&v[to - 1].through, v[i].through);
	}
	return to;
}

static struct lost_row row_of(const struct spans *s, uint32_t block, struct heap_sum through)
{
	uint64_t usable;

	spans_at(s, block, &usable);
	return (struct lost_row){usable, {1, usable}, through};
}

static bool is_of(const struct lost_report *r, size_t lost, enum lost_group group)
{
	const struct lost_request *q = r->requests ? &r->requests->v[lost] : NULL;

	if (!q)
		return group == LOST_UNKNOWN;
	return q->node == PD_NONE && q->before == (group == LOST_BEFORE);
}

/* A row for each block. */
static size_t fill(struct lost_row *v, const struct lost_report *r, enum lost_group group)
{
	const struct heap_sum none = {0};
	const struct reach_lost *lost = r->reach->lost;
	size_t n = 0;

	for (size_t i = 0; group != LOST_POSSIBLE && i < r->reach->n_lost; i++)
		if (is_of(r, i, group))
			v[n++] = row_of(r->blocks, lost[i].block, lost[i].through);
	for (uint32_t i = 0; group == LOST_POSSIBLE && i < r->blocks->n; i++)
		if (r->reach->classes[i] == REACH_POSSIBLE)
			v[n++] = row_of(r->blocks, i, none);
	return n;
}

struct lost_row *lost_rows(const struct lost_report *r, enum lost_group group, size_t *n, int *err)
{
	size_t all = r->reach->sums[group == LOST_POSSIBLE ? REACH_POSSIBLE : REACH_LOST].n;
	struct lost_row *v = all ? malloc(all * sizeof *v) : NULL;

	*err = all && !v ? -ENOMEM : 0;
	*n = v ? fill(v, r, group) : 0;
	if (!v)
		return NULL;
	qsort(v, *n, sizeof *v, by_usable);
	*n = join(v, *n);
	qsort(v, *n, sizeof *v, by_bytes);
	return v;
}
