/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/bins.h"
#include "base/array.h"
#include "base/idindex.h"
#include "base/search.h"

#include <errno.h>
#include <stdlib.h>

void bins_add(struct bin *to, const struct bin *from)
{
	to->allocs += from->allocs;
	to->bytes += from->bytes;
	to->frees += from->frees;
	to->kept += from->kept;
}

static bool same_size(const void *ctx, uint32_t item, const void *key)
{
	const struct bins *b = ctx;

	return b->items[item].size == *(const uint64_t *)key;
}

static uint64_t hash_of_item(const void *ctx, uint32_t item)
{
	return hash_mix(((const struct bins *)ctx)->items[item].size);
}

/* The bin of @size, added if missing. NULL: out of memory. */
static struct bin *bin_of(struct bins *b, struct idindex *h, size_t *cap, uint64_t size)
{
	uint64_t hash = hash_mix(size);
	uint32_t i = idindex_find(h, hash, same_size, b, &size);

	if (i != IDINDEX_NONE)
		return &b->items[i];
	if (ARRAY_RESERVE(&b->items, cap, b->n) ||
	    idindex_add(h, (uint32_t)b->n, hash, hash_of_item, b))
		return NULL;
	b->items[b->n] = (struct bin){ .size = size };
	return &b->items[b->n++];
}

static int by_size(const void *left, const void *right)
{
	const struct bin *a = left, *b = right;

	return a->size < b->size ? -1 : a->size > b->size;
}

int bins_collect(const struct profile_data *d, struct bins *b)
{
	struct idindex h = { 0 };
	size_t cap = 0;
	int err = 0;

	*b = (struct bins){ 0 };
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];
		struct bin more = {
			.allocs = l->allocs,
			.bytes = l->allocs * l->size,
			.frees = l->frees,
			.kept = (l->allocs - l->frees) * l->size,
		};
		struct bin *bin = bin_of(b, &h, &cap, l->size);

		if (!bin) {
			bins_release(b);
			err = -ENOMEM;
			goto out;
		}
		bins_add(bin, &more);
		bins_add(&b->total, &more);
	}
	if (b->n)
		qsort(b->items, b->n, sizeof *b->items, by_size);
out:
	idindex_release(&h);
	return err;
}

void bins_release(struct bins *b)
{
	free(b->items);
	*b = (struct bins){ 0 };
}

/* m / n > 1 / @parts, without a division. */
static bool more_than(uint64_t m, uint64_t n, unsigned parts)
{
	return (unsigned __int128)m * parts > n;
}

bool bins_printed(const struct bins *b, const struct bin *bin, bool typed, enum report_level level)
{
	uint64_t all = b->total.allocs;

	if (!bin->allocs)
		return false;
	switch (level) {
	case REPORT_TERSE:
		return more_than(bin->allocs, all, 50) ||
		       (typed && more_than(bin->allocs, all, 100));
	case REPORT_NORMAL:
		return bin->size > 100 || more_than(bin->allocs, all, 500);
	case REPORT_VERBOSE:
		break;
	}
	return true;
}

int bins_count_rows(const struct profile_data *d, enum report_level level, size_t *n)
{
	struct bins b;
	int err = bins_collect(d, &b);

	*n = 0;
	for (size_t i = 0; !err && i < b.n && b.items[i].size <= BINS_LARGEST; i++) {
		size_t type = bins_first_type(d, b.items[i].size);
		bool typed = type < d->n_types && d->types[type].size == b.items[i].size;

		*n += bins_printed(&b, &b.items[i], typed, level);
	}
	if (!err)
		bins_release(&b);
	return err;
}

size_t bins_first_type(const struct profile_data *d, uint64_t size)
{
	return SEARCH_FIRST(d->n_types, i, d->types[i].size >= size);
}
