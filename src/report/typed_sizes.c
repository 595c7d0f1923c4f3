/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/typed_sizes.h"

#include "base/array.h"
#include "base/search.h"
#include "report/bins.h"

#include <errno.h>
#include <stdlib.h>

int typed_sizes_add(struct typed_sizes *t, const struct profile_data *d, uint32_t owner,
		    uint64_t size)
{
	size_t first = bins_first_type(d, size);

	if (first == d->n_types || d->types[first].size != size)
		return 0;
	if (t->n && t->v[t->n - 1].owner == owner && t->v[t->n - 1].size == size)
		return 0;
	if (ARRAY_RESERVE(&t->v, &t->cap, t->n))
		return -ENOMEM;
	t->v[t->n++] = (struct typed_size){ owner, size };
	return 0;
}

static int in_order(const void *a, const void *b)
{
	const struct typed_size *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

void typed_sizes_finish(struct typed_sizes *t)
{
	size_t kept = 0;

	if (t->n)
		qsort(t->v, t->n, sizeof *t->v, in_order);
	for (size_t i = 0; i < t->n; i++)
		if (!kept || in_order(&t->v[kept - 1], &t->v[i]))
			t->v[kept++] = t->v[i];
	t->n = kept;
}

size_t typed_sizes_first(const struct typed_sizes *t, uint32_t owner)
{
	return SEARCH_FIRST(t->n, i, t->v[i].owner >= owner);
}
