/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/leaks.h"
#include "base/array.h"
#include "base/idindex.h"
#include "base/search.h"
#include "profile/pd_names.h"
#include "profile/own_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the comparing functions need to know. */
struct context {
	const struct profile_data *d;
	const uint32_t *rank;
	const struct leaks_wanted *wanted;
	enum leaks_key key;
	bool *own;	/* by site: is it own code? NULL: not needed */
	bool *owned;	/* by node: is there own code in its chain? NULL: not needed */
	uint32_t *sites;	/* of all paths, followed by those of the path being looked up */
	size_t n_sites, cap_sites;
	struct leak *paths;
	size_t n, cap;
	struct idindex index;
	struct typed_sizes sizes;
	struct leak_end *ends;
	size_t n_ends, cap_ends;
};

static uint64_t return_address(const struct profile_data *d, uint32_t site)
{
	return site < d->n_sites ? d->sites[site].address : 0;
}

static uint64_t offset(const struct profile_data *d, uint32_t site)
{
	return site < d->n_sites ? d->sites[site].offset : 0;
}

/* With own code in its chain, a path goes on until there, even if that is more than five sites. */
static bool goes_on(const struct context *c, uint32_t node, const struct leak *p, bool own)
{
	if (c->wanted->depth)
		return p->n < c->wanted->depth;
	return p->n < LEAKS_DEPTH || (c->owned[node] && !own);
}

/* Appends the sites of the path that ends at @node to c->sites, from the inside out. 0 or
 * -ENOMEM. */
static int climb(struct context *c, uint32_t node, struct leak *p)
{
	const struct profile_data *d = c->d;
	uint32_t at = node;
	bool own = false;

	for (; at >= PD_FIRST_NODE && goes_on(c, node, p, own); at = d->nodes[at].parent) {
		if (ARRAY_RESERVE(&c->sites, &c->cap_sites, p->first + p->n))
			return -ENOMEM;
		c->sites[p->first + p->n++] = d->nodes[at].site;
		own = own || (c->own && c->own[d->nodes[at].site]);
	}
	p->whole = at == PD_ROOT_WHOLE;
	return 0;
}

/* The path of the chains that end at @node; its counts are 0. 0 or -ENOMEM. */
static int path_of(struct context *c, uint32_t node, struct leak *p)
{
	*p = (struct leak){ .first = c->n_sites };
	if (climb(c, node, p))
		return -ENOMEM;
	if (!p->n) {
		if (ARRAY_RESERVE(&c->sites, &c->cap_sites, p->first))
			return -ENOMEM;
		c->sites[p->first + p->n++] = PD_NONE;
	}
	for (size_t i = p->first, j = p->first + p->n - 1; i < j; i++, j--) {
		uint32_t inner = c->sites[i];

		c->sites[i] = c->sites[j];
		c->sites[j] = inner;
	}
	return 0;
}

static uint32_t site_at(const struct context *c, const struct leak *p, uint32_t i)
{
	return c->sites[p->first + i];
}

static uint64_t hash_of(const struct context *c, const struct leak *p)
{
	uint64_t hash = hash_mix(p->n * 2 + p->whole);

	for (uint32_t i = 0; i < p->n; i++) {
		hash = hash_add(hash, names_function(c->d, site_at(c, p, i)));
		if (c->key == LEAKS_BY_SITE)
			hash = hash_add(hash, return_address(c->d, site_at(c, p, i)));
		if (c->key == LEAKS_BY_LINE)
			hash = hash_add(hash, names_line(c->d, site_at(c, p, i)));
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
		uint32_t s = site_at(c, a, i), t = site_at(c, b, i);

		if (s == t)
			continue;
		if (names_function(c->d, s) != names_function(c->d, t))
			return false;
		if (c->key == LEAKS_BY_SITE && return_address(c->d, s) != return_address(c->d, t))
			return false;
		if (c->key == LEAKS_BY_LINE && names_compare_lines(c->d, s, t))
			return false;
	}
	return true;
}

static uint64_t hash_of_item(const void *ctx, uint32_t item)
{
	const struct context *c = ctx;

	return hash_of(c, &c->paths[item]);
}

/* The path in the table, added if missing. NULL: out of memory. */
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
	c->n_sites = p->first + p->n;
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
			struct leak key;

			p = path_of(c, l->node, &key) ? NULL : intern(c, &key);
			if (!p || ARRAY_RESERVE(&c->ends, &c->cap_ends, c->n_ends))
				return -ENOMEM;
			c->ends[c->n_ends++] = (struct leak_end){ p->id, l->node };
		}
		p->allocs += l->allocs;
		p->bytes += l->allocs * l->size;
		p->frees += l->frees;
		p->freed += l->frees * l->size;
		profile_data_add_reach(l, p->reach);
		p->hanging.blocks += l->hanging.blocks;
		p->hanging.bytes += l->hanging.bytes;
		if (l->allocs > l->frees && typed_sizes_add(&c->sizes, d, p->id, l->size))
			return -ENOMEM;
	}
	return 0;
}

static int compare_ends(const void *a, const void *b)
{
	const struct leak_end *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int compare_names(const struct context *c, const struct leak *a, const struct leak *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t s = c->rank[names_function(c->d, site_at(c, a, i))];
		uint32_t t = c->rank[names_function(c->d, site_at(c, b, i))];

		if (s != t)
			return s < t ? -1 : 1;
	}
	return 0;
}

static int compare_offsets(const struct context *c, const struct leak *a, const struct leak *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		uint64_t s = offset(c->d, site_at(c, a, i)), t = offset(c->d, site_at(c, b, i));

		if (s != t)
			return s < t ? -1 : 1;
	}
	return 0;
}

static int compare_all_lines(const struct context *c, const struct leak *a, const struct leak *b)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < a->n; i++)
		order = names_compare_lines(c->d, site_at(c, a, i), site_at(c, b, i));
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
	return order ? order : b->whole - a->whole;	/* whole chains first */
}

/* Is a path a row of table 2? */
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

/* Finds own code in sites and chains. 0 or -ENOMEM. */
static int find_own(struct context *c)
{
	const struct profile_data *d = c->d;

	c->own = own_code_sites(d, c->wanted->own_code);
	c->owned = calloc(d->n_nodes, sizeof *c->owned);
	if (!c->own || !c->owned)
		return -ENOMEM;
	for (size_t i = PD_FIRST_NODE; i < d->n_nodes; i++)
		c->owned[i] = c->own[d->nodes[i].site] || c->owned[d->nodes[i].parent];
	return 0;
}

int leaks_collect(const struct profile_data *d, const uint32_t *rank,
		  const struct leaks_wanted *wanted, struct leaks *l)
{
	struct context c = { .d = d, .rank = rank, .wanted = wanted, .key = wanted->key };
	int err = wanted->depth ? 0 : find_own(&c);

	err = err ? err : add_leaves(&c);
	free(c.own);
	free(c.owned);
	idindex_release(&c.index);
	typed_sizes_finish(&c.sizes);
	if (c.n_ends)
		qsort(c.ends, c.n_ends, sizeof *c.ends, compare_ends);
	*l = (struct leaks){ .items = c.paths,
			     .n = c.n,
			     .sizes = c.sizes,
			     .sites = c.sites,
			     .ends = c.ends,
			     .n_ends = c.n_ends };
	if (err) {
		leaks_release(l);
		return err;
	}
	drop_sound(l);
	drop_hidden(l, wanted->level);	/* before sorting: mostly few are left */
	if (l->n)
		qsort_r(l->items, l->n, sizeof *l->items, in_order, &c);
	return 0;
}

int leaks_site_types(const struct profile_data *d, const struct leaks *l, const struct leak *p,
		     struct pd_types_seen *seen)
{
	int err = 0;

	*seen = (struct pd_types_seen){ 0 };
	for (size_t i = SEARCH_FIRST(l->n_ends, k, l->ends[k].path >= p->id);
	     !err && i < l->n_ends && l->ends[i].path == p->id; i++)
		err = pd_types_seen_add(seen, d, l->ends[i].node);
	return err;
}

void leaks_release(struct leaks *l)
{
	free(l->items);
	free(l->sizes.v);
	free(l->ends);
	free(l->sites);
	*l = (struct leaks){ 0 };
}
