/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/direct.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

static void count(struct direct_row *r, const struct profile_data *d, const struct pd_leaf *l)
{
	sums_count(&r->own, d, l);
	r->kept[sums_class(d, l)] += (l->allocs - l->frees) * l->size;
}

static int in_order(const void *left, const void *right, void *data)
{
	const struct direct_row *a = left, *b = right;
	const uint32_t *rank = data;
	uint64_t bytes_a = sums_total(a->own.bytes), bytes_b = sums_total(b->own.bytes);

	if (bytes_a != bytes_b)
		return bytes_a > bytes_b ? -1 : 1;
	return rank[a->function] < rank[b->function] ? -1 : 1;
}

int direct_collect(const struct profile_data *d, const uint32_t *rank, struct direct *t)
{
	size_t n = names_count(d);

	*t = (struct direct){ .rows = calloc(n, sizeof *t->rows) };
	if (!t->rows)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];
		uint32_t function = names_function(d, d->nodes[l->node].site);

		count(&t->rows[function], d, l);
		count(&t->total, d, l);
		if (typed_sizes_add(&t->sizes, d, function, l->size)) {
			direct_release(t);
			return -ENOMEM;
		}
	}
	typed_sizes_finish(&t->sizes);
	for (size_t i = 0; i < n; i++) {
		if (!t->rows[i].own.calls)
			continue;
		t->rows[t->n] = t->rows[i];
		t->rows[t->n++].function = (uint32_t)i;
	}
	qsort_r(t->rows, t->n, sizeof *t->rows, in_order, (void *)rank);
	return 0;
}

void direct_release(struct direct *t)
{
	free(t->rows);
	free(t->sizes.v);
	*t = (struct direct){ 0 };
}
