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

struct order {
	const struct profile_data *d;
	const uint32_t *rank;
};

static int in_order(const void *left, const void *right, void *data)
{
	const struct direct_row *a = left, *b = right;
	const struct order *o = data;
	uint64_t bytes_a = sums_total(a->own.bytes), bytes_b = sums_total(b->own.bytes);

	if (bytes_a != bytes_b)
		return bytes_a > bytes_b ? -1 : 1;
	if (a->function != b->function)
		return o->rank[a->function] < o->rank[b->function] ? -1 : 1;
	return names_compare_lines(o->d, a->site, b->site);
}

/* ---- which row a site belongs to ---- */

static int by_line(const void *x, const void *y, void *data)
{
	const struct profile_data *d = data;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint32_t f = names_function(d, a), g = names_function(d, b);

	if (f != g)
		return f < g ? -1 : 1;
	return names_compare_lines(d, a, b);
}

/* By site, the last element for PD_NONE: the number of its function, or of its line. */
static uint32_t *rows_of_sites(const struct profile_data *d, bool lines)
{
	uint32_t n = (uint32_t)d->n_sites, row = 0;
	uint32_t *rows = calloc(n + 1, sizeof *rows), *sorted = calloc(n + 1, sizeof *sorted);

	for (uint32_t i = 0; rows && sorted && i <= n; i++) {
		rows[i] = names_function(d, i);
		sorted[i] = i;
	}
	if (rows && sorted && lines) {
		qsort_r(sorted, n + 1, sizeof *sorted, by_line, (void *)(uintptr_t)d);
		for (uint32_t i = 0; i <= n; i++) {
			row += i && by_line(&sorted[i - 1], &sorted[i], (void *)(uintptr_t)d);
			rows[sorted[i]] = row;
		}
	}
	if (!sorted) {
		free(rows);
		rows = NULL;
	}
	free(sorted);
	return rows;
}

static int count_leaves(struct direct *t, const struct profile_data *d, const uint32_t *rows,
			bool lines)
{
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];
		uint32_t site = d->nodes[l->node].site;
		uint32_t row = rows[site < d->n_sites ? site : d->n_sites];

		t->rows[row].function = names_function(d, site);
		t->rows[row].site = lines ? site : PD_NONE;
		count(&t->rows[row], d, l);
		count(&t->total, d, l);
		if (typed_sizes_add(&t->sizes, d, row, l->size))
			return -ENOMEM;
	}
	return 0;
}

int direct_collect(const struct profile_data *d, const uint32_t *rank, bool lines, struct direct *t)
{
	struct order order = { d, rank };
	uint32_t *rows = rows_of_sites(d, lines);
	/* At most as many lines as there are sites; one more for "?". */
	size_t n = lines ? d->n_sites + 1 : names_count(d);

	*t = (struct direct){ .rows = calloc(n, sizeof *t->rows) };
	int err = rows && t->rows ? count_leaves(t, d, rows, lines) : -ENOMEM;

	free(rows);
	if (err) {
		direct_release(t);
		return err;
	}
	typed_sizes_finish(&t->sizes);
	for (size_t i = 0; i < n; i++)
		if (t->rows[i].own.calls)
			t->rows[t->n++] = t->rows[i];
	qsort_r(t->rows, t->n, sizeof *t->rows, in_order, &order);
	return 0;
}

void direct_release(struct direct *t)
{
	free(t->rows);
	free(t->sizes.v);
	*t = (struct direct){ 0 };
}
