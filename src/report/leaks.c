/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/leaks.h"
#include "base/array.h"
#include "base/idindex.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the comparing functions need to know. */
struct context {
	const struct profile_data *d;
	const uint32_t *rank;
	enum leaks_key key;
	struct leak *paths;
	size_t n, cap;
	struct idindex index;
	struct typed_sizes sizes;
};

static uint64_t return_address(const struct profile_data *d, uint32_t site)
{
	return site < d->n_sites ? d->sites[site].address : 0;
}

static const char *site_file(const struct profile_data *d, uint32_t site)
{
	return site < d->n_sites && d->sites[site].file ? d->sites[site].file : "";
}

static uint64_t offset(const struct profile_data *d, uint32_t site)
{
	return site < d->n_sites ? d->sites[site].offset : 0;
}

static uint32_t line(const struct profile_data *d, uint32_t site)
{
	return site < d->n_sites ? d->sites[site].line : 0;
}

/* By file, then line; what has none comes first. */
static int compare_lines(const struct profile_data *d, uint32_t s, uint32_t t)
{
	const char *a = site_file(d, s), *b = site_file(d, t);
	int c = a == b ? 0 : strcmp(a, b);

	if (c)
		return c;
	return line(d, s) < line(d, t) ? -1 : line(d, s) > line(d, t);
}

/* The path of the chains that end at @node; the numbers are left 0. */
static struct leak path_of(const struct profile_data *d, uint32_t node)
{
	struct leak p = { 0 };
	uint32_t at = node;

	while (at >= PD_FIRST_NODE && p.n < LEAKS_DEPTH) {
		p.site[p.n++] = d->nodes[at].site;
		at = d->nodes[at].parent;
	}
	p.whole = at == PD_ROOT_WHOLE;
	if (!p.n)
		p.site[p.n++] = PD_NONE;
	for (uint32_t i = 0, j = p.n - 1; i < j; i++, j--) {
		uint32_t inner = p.site[i];

		p.site[i] = p.site[j];
		p.site[j] = inner;
	}
	return p;
}

static uint64_t hash_of(const struct context *c, const struct leak *p)
{
	uint64_t hash = hash_mix(p->n * 2 + p->whole);

	for (uint32_t i = 0; i < p->n; i++) {
		hash = hash_add(hash, names_function(c->d, p->site[i]));
		if (c->key == LEAKS_BY_SITE)
			hash = hash_add(hash, return_address(c->d, p->site[i]));
		if (c->key == LEAKS_BY_LINE)
			hash = hash_add(hash, line(c->d, p->site[i]));
	}
	return hash;
}

static bool same_path(const void *ctx, uint32_t item, const void *key)
{
	const struct context *c = ctx;
	const struct leak *a = &c->paths[item], *b = key;

	if (a->n != b->n || a->whole != b->whole)
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t s = a->site[i], t = b->site[i];

		if (s == t)
			continue;
		if (names_function(c->d, s) != names_function(c->d, t))
			return false;
		if (c->key == LEAKS_BY_SITE && return_address(c->d, s) != return_address(c->d, t))
			return false;
		if (c->key == LEAKS_BY_LINE && compare_lines(c->d, s, t))
			return false;
	}
	return true;
}

static uint64_t hash_of_item(const void *ctx, uint32_t item)
{
	const struct context *c = ctx;

	return hash_of(c, &c->paths[item]);
}

/* Find the path in the table or put it there. Returns it, or NULL: out of memory. */
static struct leak *intern(struct context *c, const struct leak *p)
{
	uint64_t hash = hash_of(c, p);
	uint32_t i = idindex_find(&c->index, hash, same_path, c, p);

	if (i != IDINDEX_NONE)
		return &c->paths[i];
	if (ARRAY_RESERVE(&c->paths, &c->cap, c->n) ||
	    idindex_add(&c->index, (uint32_t)c->n, hash, hash_of_item, c))
		return NULL;
	c->paths[c->n] = *p;
	c->paths[c->n].id = (uint32_t)c->n;
	return &c->paths[c->n++];
}

static int add_leaves(struct context *c)
{
	const struct profile_data *d = c->d;
	struct leak *p = NULL;

	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];

		/* Leaves are sorted by node: the path is looked up once for all sizes. */
		if (!i || l->node != d->leaves[i - 1].node) {
			struct leak key = path_of(d, l->node);

			p = intern(c, &key);
			if (!p)
				return -ENOMEM;
		}
		p->allocs += l->allocs;
		p->bytes += l->allocs * l->size;
		p->frees += l->frees;
		p->freed += l->frees * l->size;
		if (l->allocs > l->frees && typed_sizes_add(&c->sizes, d, p->id, l->size))
			return -ENOMEM;
	}
	return 0;
}

static int compare_names(const struct context *c, const struct leak *a, const struct leak *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t s = c->rank[names_function(c->d, a->site[i])];
		uint32_t t = c->rank[names_function(c->d, b->site[i])];

		if (s != t)
			return s < t ? -1 : 1;
	}
	return 0;
}

static int compare_offsets(const struct context *c, const struct leak *a, const struct leak *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		uint64_t s = offset(c->d, a->site[i]), t = offset(c->d, b->site[i]);

		if (s != t)
			return s < t ? -1 : 1;
	}
	return 0;
}

static int compare_all_lines(const struct context *c, const struct leak *a, const struct leak *b)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < a->n; i++)
		order = compare_lines(c->d, a->site[i], b->site[i]);
	return order;
}

static int in_order(const void *left, const void *right, void *data)
{
	const struct context *c = data;
	const struct leak *a = left, *b = right;
	uint64_t kept_a = a->bytes - a->freed, kept_b = b->bytes - b->freed;

	if (kept_a != kept_b)
		return kept_a > kept_b ? -1 : 1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	int order = compare_names(c, a, b);

	if (!order && c->key == LEAKS_BY_SITE)
		order = compare_offsets(c, a, b);
	if (!order && c->key == LEAKS_BY_LINE)
		order = compare_all_lines(c, a, b);
	return order ? order : b->whole - a->whole;	/* the whole chain first */
}

/* Whether a path is a row of table 2. */
static bool printed(const struct leaks *l, const struct leak *path, enum report_level level)
{
	unsigned __int128 kept = path->bytes - path->freed;

	switch (level) {
	case REPORT_TERSE:
		return kept * 100 > l->kept;
	case REPORT_NORMAL:
		return kept * 200 > l->kept;
	case REPORT_VERBOSE:
		break;
	}
	return true;
}

static void drop_sound(struct leaks *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct leak *p = &l->items[i];

		if (p->allocs <= p->frees)
			continue;
		l->bytes += p->bytes;
		l->frees += p->frees;
		l->freed += p->freed;
		l->items[n++] = *p;
	}
	l->kept = l->bytes - l->freed;
	l->n = l->n_all = n;
}

static void drop_hidden(struct leaks *l, enum report_level level)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (printed(l, &l->items[i], level))
			l->items[n++] = l->items[i];
	l->n = n;
}

int leaks_collect(const struct profile_data *d, const uint32_t *rank, enum leaks_key key,
		  enum report_level level, struct leaks *l)
{
	struct context c = { .d = d, .rank = rank, .key = key };
	int err = add_leaves(&c);

	idindex_release(&c.index);
	typed_sizes_finish(&c.sizes);
	*l = (struct leaks){ .items = c.paths, .n = c.n, .sizes = c.sizes };
	if (err) {
		leaks_release(l);
		return err;
	}
	drop_sound(l);
	drop_hidden(l, level);	/* before they are sorted: mostly few are left */
	if (l->n)
		qsort_r(l->items, l->n, sizeof *l->items, in_order, &c);
	return 0;
}

void leaks_release(struct leaks *l)
{
	free(l->items);
	free(l->sizes.v);
	*l = (struct leaks){ 0 };
}
