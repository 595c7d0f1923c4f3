/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/rows.h"

#include "base/array.h"
#include "base/memstream.h"
#include "base/printable.h"
#include "base/search.h"
#include "base/text.h"
#include "naming/where.h"
#include "top/threads.h"
#include "top/types.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const top_by_words[TOP_BYS] = {
	[TOP_SITES] = "sites", [TOP_SIZES] = "sizes", [TOP_THREADS] = "threads"};
const char *const top_sort_words[TOP_SORTS] = {[TOP_LIVE] = "live",
					       [TOP_GROWTH] = "growth",
					       [TOP_ALLOCS] = "allocs",
					       [TOP_TEMPORARY] = "temporary"};

/* ---- rows by name, or by size ---- */

struct key {
	const char *name;
	uint64_t size;
};

struct table {
	struct top_rows rows;
	struct idindex index;
};

static uint64_t hash_of(const char *name, uint64_t size)
{
	return hash_text(size, name);
}

static bool is_row(const void *owner, uint32_t id, const void *key)
{
	const struct top_row *r = &((const struct table *)owner)->rows.v[id];
	const struct key *k = key;

	return r->size == k->size && !strcmp(r->name, k->name);
}

static uint64_t rehash(const void *owner, uint32_t id)
{
	const struct top_row *r = &((const struct table *)owner)->rows.v[id];

	return hash_of(r->name, r->size);
}

static struct top_row *find_row(const struct table *t, const char *name, uint64_t size)
{
	const struct key k = {name, size};
	uint32_t id = idindex_find(&t->index, hash_of(name, size), is_row, t, &k);

	return id == IDINDEX_NONE ? NULL : &t->rows.v[id];
}

/* NULL: out of memory. */
static struct top_row *row_of(struct table *t, const char *name, uint64_t size)
{
	struct top_row *r = find_row(t, name, size);
	size_t n = t->rows.n;

	if (r)
		return r;
	if (ARRAY_RESERVE(&t->rows.v, &t->rows.cap, n))
		return NULL;
	t->rows.v[n] = (struct top_row){.name = strdup(name), .size = size, .node = PD_NONE};
	if (!t->rows.v[n].name)
		return NULL;
	t->rows.n++;
	if (idindex_add(&t->index, (uint32_t)n, hash_of(name, size), rehash, t))
		return NULL;
	return &t->rows.v[n];
}

/* ---- names of sites ---- */

/* The node whose function begins the name of the site of @node. */
static uint32_t first_node(const struct top_look *l, const struct top_how *how, uint32_t node)
{
	return how->innermost || l->own[node] == PD_NONE ? node : l->own[node];
}

static void put_elements(const struct profile_data *d, uint32_t node, unsigned depth,
			 const char *between, FILE *out)
{
	const char *before = "";

	for (; node >= PD_FIRST_NODE && depth; depth--, node = d->nodes[node].parent) {
		char *where = where_text(d, d->nodes[node].site);
		/* On lines of their own, a newline in a name must be escaped. */
		char *line = where && *between == '\n' ? printable_copy(where) : NULL;

		fprintf(out, "%s%s", before, line ? line : where ? where : "?");
		before = between;
		free(line);
		free(where);
	}
	if (!*before)
		fputs("?", out);
}

/* For free(), or NULL: out of memory. */
static char *elements(const struct profile_data *d, uint32_t node, unsigned depth,
		      const char *between)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	put_elements(d, node, depth, between, out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static char *site_name(const struct top_look *l, const struct top_how *how, uint32_t node)
{
	return elements(l->data, first_node(l, how, node), how->depth, " < ");
}

char *top_chain_text(const struct profile_data *d, uint32_t node)
{
	return elements(d, node, TOP_DEPTH_MAX, "\n");
}

/* ---- collecting ---- */

static void count_leaf(struct top_row *r, const struct pd_leaf *l)
{
	uint64_t live = l->allocs - l->frees;

	r->live_bytes += live * l->size;
	r->live_blocks += live;
	r->allocs += l->allocs;
	if (r->node == PD_NONE || live * l->size > r->heaviest) {
		r->node = l->node;
		r->heaviest = live * l->size;
	}
}

static uint64_t temporary_of(const struct profile_data *d, uint32_t node)
{
	size_t i = SEARCH_FIRST(d->n_lifetimes, k, d->lifetimes[k].node >= node);
	uint64_t n = 0;

	for (; i < d->n_lifetimes && d->lifetimes[i].node == node; i++)
		if (d->lifetimes[i].axis == PD_LIFE_TEMPORARY)
			n += d->lifetimes[i].blocks;
	return n;
}

/* The leaves of a look to collect: those of one row, or all. */
struct wanted {
	const struct top_how *how;
	const struct top_how *of; /* the settings by which that row was made */
	const char *name;	  /* NULL: all rows */
	const uint64_t *size;	  /* only requests of this size; NULL: any */
};

static bool has_size(const struct wanted *w, const struct pd_leaf *l)
{
	return !w->size || *w->size == l->size;
}

/* Sets *is. @i: the first leaf of its node */
static int is_wanted(const struct top_look *l, const struct wanted *w, size_t i, bool *is)
{
	const struct profile_data *d = l->data;
	uint32_t node = d->leaves[i].node;
	char *name = w->name ? site_name(l, w->of, node) : NULL;

	*is = false;
	for (; i < d->n_leaves && d->leaves[i].node == node; i++)
		*is |= has_size(w, &d->leaves[i]);
	*is &= !w->name || (name && !strcmp(name, w->name));
	int err = w->name && !name ? -ENOMEM : 0;
	free(name);
	return err;
}

/* Collect the leaves of a node, which are consecutive from @i on; *next: the first after them. */
static int collect_site(const struct top_look *l, const struct wanted *w, size_t i, size_t *next,
			struct table *t)
{
	const struct profile_data *d = l->data;
	uint32_t node = d->leaves[i].node;
	bool is;
	int err = is_wanted(l, w, i, &is);
	char *name = err || !is ? NULL : site_name(l, w->how, node);
	struct top_row *r = name ? row_of(t, name, 0) : NULL;

	for (*next = i; *next < d->n_leaves && d->leaves[*next].node == node; ++*next)
		if (r && has_size(w, &d->leaves[*next]))
			count_leaf(r, &d->leaves[*next]);
	if (r)
		r->temporary += temporary_of(d, node);
	free(name);
	return err ? err : is && !r ? -ENOMEM : 0;
}

static int collect_sites(const struct top_look *l, const struct wanted *w, struct table *t)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->data->n_leaves;)
		err = collect_site(l, w, i, &i, t);
	return err;
}

static int collect_sizes(const struct top_look *l, struct table *t)
{
	const struct profile_data *d = l->data;

	for (size_t i = 0; i < d->n_leaves; i++) {
		struct top_row *r = row_of(t, "", d->leaves[i].size);

		if (!r)
			return -ENOMEM;
		count_leaf(r, &d->leaves[i]);
	}
	return 0;
}

static int collect(const struct top_look *l, const struct wanted *w, struct table *t)
{
	return w->how->by == TOP_SIZES ? collect_sizes(l, t) : collect_sites(l, w, t);
}

/* ---- differences ---- */

/* For a row that was not there before, all of it is new. */
static int compare_with(const struct top_look *now, const struct top_look *before,
			const struct wanted *w, struct table *rows)
{
	struct table old = {0};
	int err = collect(before, w, &old);
	double seconds = (double)(now->head.time_ns - before->head.time_ns) / 1e9;

	for (size_t i = 0; !err && i < rows->rows.n; i++) {
		struct top_row *r = &rows->rows.v[i];
		const struct top_row *was = find_row(&old, r->name, r->size);
		uint64_t allocs = was ? was->allocs : 0;

		r->growth = (int64_t)(r->live_bytes - (was ? was->live_bytes : 0));
		/* In a very large profile, a leaf may be listed now that was not before, or the
		 * other way round. */
		r->allocs_per_s = r->allocs < allocs ? 0 : (double)(r->allocs - allocs) / seconds;
	}
	idindex_release(&old.index);
	top_rows_release(&old.rows);
	return err;
}

/* ---- order ---- */

static int compare_numbers(double x, double y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

static double sorted_by(const struct top_row *r, enum top_sort sort)
{
	switch (sort) {
	case TOP_GROWTH:
		return (double)r->growth;
	case TOP_ALLOCS:
		return r->allocs_per_s;
	case TOP_TEMPORARY:
		return (double)r->temporary;
	case TOP_LIVE:
	case TOP_SORTS:
		break;
	}
	return (double)(r->live_bytes + r->alloc_bytes);
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct top_row *x = a, *y = b;
	const struct top_how *how = ctx;
	int c = compare_numbers(sorted_by(x, how->sort), sorted_by(y, how->sort));

	if (!c)
		c = compare_numbers((double)x->live_bytes, (double)y->live_bytes);
	if (!c)
		c = compare_numbers((double)x->allocs, (double)y->allocs);
	if (!c)
		c = x->size < y->size ? -1 : x->size > y->size;
	return c ? c : strcmp(x->name, y->name);
}

/* The size or thread of a row is searched as a number, too. */
static bool has_text(const struct top_row *r, const struct top_how *how)
{
	char number[24];

	snprintf(number, sizeof number, "%" PRIu64, r->size);
	return strcasestr(r->name, how->filter) ||
	       (how->by != TOP_SITES && strstr(number, how->filter));
}

/* True if any of its figures is not 0. */
static bool tells_something(const struct top_row *r, const struct top_how *how)
{
	return how->by == TOP_THREADS || r->live_blocks || r->growth || r->allocs_per_s > 0 ||
	       r->temporary;
}

/* Remove the rows that are not wanted. */
static void drop_others(struct top_rows *r, const struct top_how *how)
{
	size_t kept = 0;
	bool filtered = how->filter && *how->filter;

	for (size_t i = 0; i < r->n; i++) {
		if ((!filtered || has_text(&r->v[i], how)) &&
		    (!how->no_zeros || tells_something(&r->v[i], how)))
			r->v[kept++] = r->v[i];
		else
			free(r->v[i].name);
	}
	r->n = kept;
}

static int make_blocks(const struct top_look *now, const struct top_look *before,
		       const struct wanted *w, struct top_rows *out)
{
	struct table t = {0};
	int err = collect(now, w, &t);

	if (!err && before)
		err = compare_with(now, before, w, &t);
	idindex_release(&t.index);
	if (!err && w->how->by == TOP_SIZES)
		err = top_add_types(now->data, &t.rows);
	*out = t.rows;
	return err;
}

static int make(const struct top_look *now, const struct top_look *before, const struct wanted *w,
		struct top_rows *out)
{
	const struct top_look *since = top_look_follows(now, before) ? before : NULL;
	int err = w->how->by == TOP_THREADS ? top_thread_rows(now, since, w->how, out)
					    : make_blocks(now, since, w, out);

	if (err) {
		top_rows_release(out);
		return err;
	}
	drop_others(out, w->how);
	if (out->n)
		qsort_r(out->v, out->n, sizeof *out->v, compare_rows,
			(struct top_how *)(uintptr_t)w->how);
	return 0;
}

int top_rows(const struct top_look *now, const struct top_look *before, const struct top_how *how,
	     struct top_rows *out)
{
	return make(now, before, &(struct wanted){.how = how}, out);
}

int top_chains(const struct top_look *now, const struct top_look *before, const struct top_how *how,
	       const struct top_row *row, struct top_rows *out)
{
	const struct top_how whole = {.sort = how->sort,
				      .depth = TOP_DEPTH_MAX,
				      .innermost = true,
				      .no_zeros = how->no_zeros};
	const struct wanted of_size = {.how = &whole, .size = &row->size},
			    of_site = {.how = &whole, .of = how, .name = row->name};

	return make(now, before, how->by == TOP_SIZES ? &of_size : &of_site, out);
}

void top_rows_release(struct top_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->v[i].name);
	free(r->v);
	*r = (struct top_rows){0};
}
