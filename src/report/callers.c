/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/callers.h"

#include "base/array.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

/* The caller of the function at @node; of a recursive one, the caller of its outermost call. */
static uint32_t caller_of(const struct profile_data *d, const uint32_t *own, uint32_t node)
{
	uint32_t function = names_function(d, d->nodes[node].site), at = node;

	while (at != PD_NONE && names_function(d, d->nodes[at].site) == function) {
		uint32_t parent = d->nodes[at].parent;

		at = parent == PD_NONE ? PD_NONE : own[parent];
	}
	return at;
}

int callers_add(struct callers *c, const struct profile_data *d, const uint32_t *own, uint32_t node,
		uint64_t bytes)
{
	uint32_t at = caller_of(d, own, node);

	if (at == PD_NONE)
		return 0;
	if (ARRAY_RESERVE(&c->v, &c->cap, c->n))
		return -ENOMEM;
	c->v[c->n++] = (struct caller){names_function(d, d->nodes[at].site), d->nodes[at].site,
				       bytes};
	return 0;
}

static int by_function(const void *left, const void *right)
{
	const struct caller *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->site < b->site ? -1 : a->site > b->site;
}

size_t callers_find(struct callers *c, uint32_t *site)
{
	size_t n = 0, best = 0;

	if (c->n)
		qsort(c->v, c->n, sizeof *c->v, by_function);
	for (size_t i = 0; i < c->n; i++) {
		if (n && c->v[n - 1].function == c->v[i].function)
			c->v[n - 1].bytes += c->v[i].bytes;
		else
			c->v[n++] = c->v[i];
	}
	for (size_t i = 1; i < n; i++)
		if (c->v[i].bytes > c->v[best].bytes)
			best = i;
	*site = n ? c->v[best].site : PD_NONE;
	c->n = n;
	return n;
}

void callers_release(struct callers *c)
{
	free(c->v);
	*c = (struct callers){0};
}
