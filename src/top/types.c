/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/types.h"

#include "base/memstream.h"
#include "base/search.h"
#include "profile/pd_site_types.h"
#include "report/bins.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_sizes(const void *a, const void *b)
{
	const struct pd_leaf *x = *(const struct pd_leaf *const *)a,
			     *y = *(const struct pd_leaf *const *)b;

	return x->size < y->size ? -1 : x->size > y->size;
}

/* All leaves, sorted by size. NULL: out of memory. */
static const struct pd_leaf **leaves_by_size(const struct profile_data *d)
{
	const struct pd_leaf **leaves = calloc(d->n_leaves + 1, sizeof *leaves);

	for (size_t i = 0; leaves && i < d->n_leaves; i++)
		leaves[i] = &d->leaves[i];
	if (leaves)
		qsort(leaves, d->n_leaves, sizeof *leaves, compare_sizes);
	return leaves;
}

/* The types at the sites that request blocks of this size; "" if not known. */
static char *types_at_sites(const struct profile_data *d, const struct pd_leaf **leaves,
			    uint64_t size)
{
	struct pd_types_seen seen = {0};
	size_t i = SEARCH_FIRST(d->n_leaves, k, leaves[k]->size >= size);
	int err = 0;

	for (; !err && i < d->n_leaves && leaves[i]->size == size; i++)
		err = pd_types_seen_add(&seen, d, leaves[i]->node);
	char *text = err ? NULL : pd_types_seen_text(&seen);

	pd_types_seen_release(&seen);
	return text;
}

/* "a | b | c and 5 more": all types of this size. */
static char *types_of_size(const struct profile_data *d, uint64_t size)
{
	size_t first = bins_first_type(d, size), n = 0;
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	for (; first + n < d->n_types && d->types[first + n].size == size; n++)
		if (n < TOP_TYPES)
			fprintf(out, "%s%s", n ? " | " : "", d->types[first + n].name);
	if (n > TOP_TYPES)
		fprintf(out, " and %zu more", n - TOP_TYPES);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static char *types_of(const struct profile_data *d, const struct pd_leaf **leaves, uint64_t size)
{
	char *text = types_at_sites(d, leaves, size);

	if (!text || *text)
		return text;
	free(text);
	return types_of_size(d, size);
}

int top_add_types(const struct profile_data *d, struct top_rows *rows)
{
	const struct pd_leaf **leaves = leaves_by_size(d);
	int err = leaves ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < rows->n; i++) {
		char *text = types_of(d, leaves, rows->v[i].size);

		free(rows->v[i].name);
		rows->v[i].name = text;
		err = text ? 0 : -ENOMEM;
	}
	free(leaves);
	return err;
}
