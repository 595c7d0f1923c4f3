/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/resolve_types.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_BIN = 1024 };

/* The sizes whose types are wanted, sorted. */
struct sizes {
	uint64_t *v;
	size_t n;
	bool all_large;	/* and everything above LARGEST_BIN */
};

static int compare_sizes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool wanted(uint64_t size, void *ctx)
{
	const struct sizes *s = ctx;

	if (s->all_large && size > LARGEST_BIN)
		return true;
	return bsearch(&size, s->v, s->n, sizeof *s->v, compare_sizes);
}

static uint32_t module_of(const struct profile_data *d, const struct pd_leaf *l)
{
	uint32_t site = d->nodes[l->node].site;

	return site == PD_NONE ? PD_NONE : d->functions[d->sites[site].function].module;
}

/* The sizes requested by functions of @module, or by all if it is PD_NONE. */
static int collect_sizes(const struct profile_data *d, uint32_t module, struct sizes *s)
{
	s->n = 0;
	s->v = malloc(d->n_leaves * sizeof *s->v + 1);
	if (!s->v)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_leaves; i++)
		if (module == PD_NONE || module_of(d, &d->leaves[i]) == module)
			s->v[s->n++] = d->leaves[i].size;
	qsort(s->v, s->n, sizeof *s->v, compare_sizes);
	return 0;
}

static int add_types(struct profile_data *d, size_t *cap, const struct sym_type *types, size_t n,
		     uint32_t rank)
{
	for (size_t i = 0; i < n; i++) {
		if (ARRAY_RESERVE(&d->types, cap, d->n_types))
			return -ENOMEM;
		struct pd_type t = { types[i].size, strdup(types[i].name), rank };
		if (!t.name)
			return -ENOMEM;
		d->types[d->n_types++] = t;
	}
	return 0;
}

static int types_of(struct symbols *s, struct profile_data *d, size_t *cap, uint32_t module,
		    bool is_program)
{
	struct sizes want = { .all_large = is_program };
	struct sym_type *types = NULL;
	size_t n = 0;
	int err = collect_sizes(d, is_program ? PD_NONE : module, &want);

	if (!err && (want.n || want.all_large))
		err = symbols_types(s, (int)module, wanted, &want, &types, &n);
	if (!err)
		err = add_types(d, cap, types, n, is_program ? 0 : 1);
	free(types);
	free(want.v);
	return err;
}

static int compare_types(const void *a, const void *b)
{
	const struct pd_type *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	int c = strcmp(x->name, y->name);
	return c ? c : (int)x->rank - (int)y->rank;
}

static int compare_ranked(const void *a, const void *b)
{
	const struct pd_type *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->rank != y->rank ? (int)x->rank - (int)y->rank : strcmp(x->name, y->name);
}

void types_drop_repeated(struct profile_data *d)
{
	size_t kept = 0;

	if (!d->n_types)
		return;
	qsort(d->types, d->n_types, sizeof *d->types, compare_types);
	for (size_t i = 0; i < d->n_types; i++) {
		if (kept && d->types[kept - 1].size == d->types[i].size &&
		    !strcmp(d->types[kept - 1].name, d->types[i].name))
			free(d->types[i].name);
		else
			d->types[kept++] = d->types[i];
	}
	d->n_types = kept;
	qsort(d->types, d->n_types, sizeof *d->types, compare_ranked);
}

static bool allocates(const struct profile_data *d, uint32_t module)
{
	for (size_t i = 0; i < d->n_leaves; i++)
		if (module_of(d, &d->leaves[i]) == module)
			return true;
	return false;
}

static int add_old_types(struct profile_data *d, size_t *cap, const struct profile_data *old)
{
	int err = 0;

	for (size_t i = 0; !err && i < old->n_types; i++) {
		struct sym_type t = { old->types[i].size, old->types[i].name };

		err = add_types(d, cap, &t, 1, old->types[i].rank);
	}
	return err;
}

int resolve_types(struct symbols *s, uint32_t program, const struct profile_data *old,
		  struct profile_data *d)
{
	uint32_t last = 0;
	size_t cap = 0;
	int err = 0;

	for (size_t i = 0; i < d->n_functions; i++)
		if (d->functions[i].module != PD_NONE && d->functions[i].module > last)
			last = d->functions[i].module;
	if (program != PD_NONE)
		err = types_of(s, d, &cap, program, true);
	for (uint32_t m = 0; !err && d->n_functions && m <= last; m++)
		if (m != program && allocates(d, m))
			err = types_of(s, d, &cap, m, false);
	if (!err && old)
		err = add_old_types(d, &cap, old);
	types_drop_repeated(d);
	return err;
}
