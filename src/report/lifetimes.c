/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/lifetimes.h"

#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

void lifetimes_table_release(struct lifetimes_table *t)
{
	for (size_t i = 0; t->rows && i < t->n; i++)
		free(t->rows[i]);
	free(t->rows);
	*t = (struct lifetimes_table){ 0 };
}

static uint32_t site_of(const struct profile_data *d, uint32_t node)
{
	return node >= PD_FIRST_NODE ? d->nodes[node].site : PD_NONE;
}

static void add(struct lifetimes_table *t, struct site_lifetimes *s, const struct pd_lifetime *l)
{
	if (l->axis == PD_LIFE_TEMPORARY) {
		s->temporary += l->blocks;
		t->temporary += l->blocks;
		return;
	}
	s->blocks[l->axis][l->bucket] += l->blocks;
	if (l->axis == PD_LIFE_EVENTS) {
		s->frees += l->blocks;
		t->frees += l->blocks;
	}
}

/* The row of a site. @row_of: by site the row or NULL; the last one for PD_NONE. */
static struct site_lifetimes *row_for(struct lifetimes_table *t, const struct profile_data *d,
				      struct site_lifetimes **row_of, uint32_t site)
{
	size_t i = site == PD_NONE ? d->n_sites : site;

	if (row_of[i])
		return row_of[i];
	row_of[i] = calloc(1, sizeof **row_of);
	if (!row_of[i])
		return NULL;
	row_of[i]->site = site;
	return t->rows[t->n++] = row_of[i];
}

struct order {
	const struct profile_data *d;
	const uint32_t *rank;
};

static int compare(const void *x, const void *y, void *ctx)
{
	const struct site_lifetimes *a = *(struct site_lifetimes *const *)x;
	const struct site_lifetimes *b = *(struct site_lifetimes *const *)y;
	const struct order *o = ctx;

	if (a->temporary != b->temporary)
		return a->temporary > b->temporary ? -1 : 1;
	if (a->frees != b->frees)
		return a->frees > b->frees ? -1 : 1;
	uint32_t ra = o->rank[names_function(o->d, a->site)],
		 rb = o->rank[names_function(o->d, b->site)];
	if (ra != rb)
		return ra < rb ? -1 : 1;
	return a->site < b->site ? -1 : a->site > b->site;
}

int lifetimes_collect(const struct profile_data *d, const uint32_t *rank, struct lifetimes_table *t)
{
	struct site_lifetimes **row_of = calloc(d->n_sites + 1, sizeof *row_of);
	struct order o = { d, rank };
	int err = 0;

	*t = (struct lifetimes_table){ .rows = calloc(d->n_sites + 1, sizeof *t->rows) };
	if (!row_of || !t->rows)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < d->n_lifetimes; i++) {
		struct site_lifetimes *s = row_for(t, d, row_of, site_of(d, d->lifetimes[i].node));

		if (s)
			add(t, s, &d->lifetimes[i]);
		else
			err = -ENOMEM;
	}
	if (!err)
		qsort_r(t->rows, t->n, sizeof *t->rows, compare, &o);
	free(row_of);
	return err;
}

unsigned lifetimes_part(const uint64_t blocks[64], int part)
{
	uint64_t all = 0, sum = 0;

	for (unsigned b = 0; b < 64; b++)
		all += blocks[b];
	uint64_t want = part == 0 ? 1 : part == 1 ? all / 2 + all % 2 : all;
	for (unsigned b = 0; b < 64; b++) {
		sum += blocks[b];
		if (sum && sum >= want)
			return b;
	}
	return 0;
}
