/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/rows.h"

#include "base/array.h"
#include "base/search.h"
#include "base/stream.h"
#include "html/columns.h"
#include "html/rows_types.h"
#include "html/tree_internal.h"
#include "profile/pd_names.h"
#include "report/graph.h"
#include "report/leaks.h"
#include "report/verdicts.h"

#include <errno.h>
#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The rows of one profile, and their strings. */
struct rows {
	const struct tree *t;
	const struct profile_data *d;
	struct leaks leaks;
	struct rows_types types;
	uint32_t *list;	   /* by leak: its list of types */
	uint32_t *verdict; /* by leak: number of its verdict's string */
	struct graph graph;
	uint32_t *entries; /* those entries of the graph that are functions */
	size_t n_entries;
	uint32_t *lives; /* for each node with lifetimes: index of its first one in the profile */
	size_t n_lives, cap_lives;
};

/* ---- leaks ---- */

static const struct leak *leak_at(const struct rows *r, size_t i)
{
	return &r->leaks.items[i];
}

/* The first of the nodes where the path ends: the chains of the others have the same path. */
static int64_t leak_node(const void *of, size_t i)
{
	const struct rows *r = of;
	const struct leaks *l = &r->leaks;
	uint32_t id = leak_at(r, i)->id;
	size_t end = SEARCH_FIRST(l->n_ends, k, l->ends[k].path >= id);

	return tree_place(&r->t->nodes, l->ends[end].node);
}

#define LEAK(name, value)                                                                          \
	static int64_t leak_##name(const void *of, size_t i)                                       \
	{                                                                                          \
		const struct leak *l = leak_at(of, i);                                             \
                                                                                                   \
		return (int64_t)(value);                                                           \
	}

LEAK(depth, l->n)
LEAK(truncated, !l->whole)
LEAK(kept_bytes, l->bytes - l->freed)
LEAK(allocs, l->allocs)
LEAK(frees, l->frees)
LEAK(lost_bytes, l->reach[PD_LOST].bytes)
LEAK(through_bytes, l->reach[PD_LOST_THROUGH].bytes)

static int64_t leak_types(const void *of, size_t i)
{
	return ((const struct rows *)of)->list[i];
}

static int64_t leak_verdict(const void *of, size_t i)
{
	return ((const struct rows *)of)->verdict[i];
}

static int describe_leaks(struct rows *r)
{
	r->list = calloc(r->leaks.n + 1, sizeof *r->list);
	r->verdict = calloc(r->leaks.n + 1, sizeof *r->verdict);
	if (!r->list || !r->verdict)
		return -ENOMEM;
	for (size_t i = 0; i < r->leaks.n; i++) {
		const struct leak *l = leak_at(r, i);

		if (rows_types_add(&r->types, r->d, &r->leaks, l, &r->list[i]))
			return -ENOMEM;
		if (!r->d->window_ns)
			continue;
		r->verdict[i] = strings_add(&r->types.strings,
					    trend_word(leaks_verdict(r->d, &r->leaks, l).name));
		if (r->verdict[i] == STRINGS_FULL)
			return -ENOMEM;
	}
	return 0;
}

static void put_leaks(const struct rows *r, FILE *out)
{
	static const struct column columns[] = {{"node", leak_node, false},
						{"depth", leak_depth, false},
						{"truncated", leak_truncated, false},
						{"kept_bytes", leak_kept_bytes, true},
						{"allocs", leak_allocs, true},
						{"frees", leak_frees, true},
						{"types", leak_types, false},
						{"verdict", leak_verdict, false},
						{"lost_bytes", leak_lost_bytes, true},
						{"through_bytes", leak_through_bytes, true}};
	struct column used[COUNT(columns)];
	size_t n = 0;

	for (size_t i = 0; i < COUNT(columns); i++)
		if ((columns[i].get != leak_verdict || r->d->window_ns) &&
		    (i < COUNT(columns) - 2 || r->d->reach.known))
			used[n++] = columns[i];
	columns_put_table(r, "leaks", used, n, r->leaks.n, out);
}

/* ---- functions of the call graph ---- */

static int list_functions(struct rows *r)
{
	r->entries = malloc((r->graph.n_entries + 1) * sizeof *r->entries);
	if (!r->entries)
		return -ENOMEM;
	for (size_t i = 0; i < r->graph.n_entries; i++)
		if (r->graph.entries[i].node != GRAPH_WHOLE)
			r->entries[r->n_entries++] = (uint32_t)i;
	return 0;
}

static const struct graph_entry *entry_at(const struct rows *r, size_t i)
{
	return &r->graph.entries[r->entries[i]];
}

static const struct graph_node *function_at(const struct rows *r, size_t i)
{
	return &r->graph.nodes[entry_at(r, i)->node];
}

static int64_t function_place(const void *of, size_t i)
{
	const struct rows *r = of;

	return tree_place(&r->t->functions, function_at(r, i)->function);
}

static int64_t function_cycle(const void *of, size_t i)
{
	const struct rows *r = of;

	return r->graph.parts[entry_at(r, i)->part].cycle;
}

static int64_t function_self_bytes(const void *of, size_t i)
{
	return (int64_t)sums_total(function_at(of, i)->own.bytes);
}

static int64_t function_total_bytes(const void *of, size_t i)
{
	return (int64_t)entry_at(of, i)->bytes;
}

static int64_t function_called(const void *of, size_t i)
{
	const struct graph *g = &((const struct rows *)of)->graph;
	uint32_t node = entry_at(of, i)->node;
	uint64_t calls = 0;

	for (size_t k = g->in.first[node]; k < g->in.first[node + 1]; k++)
		calls += g->edges[g->in.edge[k]].over.calls;
	return (int64_t)calls;
}

static int64_t function_recursive(const void *of, size_t i)
{
	return (int64_t)function_at(of, i)->recursive;
}

/* ---- lifetimes ---- */

static int list_lives(struct rows *r)
{
	const struct pd_lifetime *l = r->d->lifetimes;

	for (size_t i = 0; i < r->d->n_lifetimes; i++) {
		if (i && l[i].node == l[i - 1].node)
			continue;
		if (ARRAY_RESERVE(&r->lives, &r->cap_lives, r->n_lives))
			return -ENOMEM;
		r->lives[r->n_lives++] = (uint32_t)i;
	}
	return 0;
}

static const struct pd_lifetime *life_at(const struct rows *r, size_t i)
{
	return &r->d->lifetimes[r->lives[i]];
}

/* The number of lifetimes of one node. */
static size_t life_length(const struct rows *r, size_t i)
{
	size_t end = i + 1 < r->n_lives ? r->lives[i + 1] : r->d->n_lifetimes;

	return end - r->lives[i];
}

static int64_t life_node(const void *of, size_t i)
{
	const struct rows *r = of;

	return tree_place(&r->t->nodes, life_at(r, i)->node);
}

static int64_t life_sum(const struct rows *r, size_t i, enum pd_life_axis axis)
{
	const struct pd_lifetime *l = life_at(r, i);
	uint64_t sum = 0;

	for (size_t k = 0; k < life_length(r, i); k++)
		sum += l[k].axis == axis ? l[k].blocks : 0;
	return (int64_t)sum;
}

static int64_t life_frees(const void *of, size_t i)
{
	return life_sum(of, i, PD_LIFE_EVENTS);
}

static int64_t life_temporary(const void *of, size_t i)
{
	return life_sum(of, i, PD_LIFE_TEMPORARY);
}

static int64_t life_buckets(const void *of, size_t i)
{
	const struct pd_lifetime *l = life_at(of, i);
	int64_t n = 0;

	for (size_t k = 0; k < life_length(of, i); k++)
		n += l[k].axis == PD_LIFE_NS;
	return n;
}

/* All buckets, node by node. */
struct buckets {
	const struct pd_lifetime **v;
	size_t n;
};

static int64_t bucket_power(const void *of, size_t i)
{
	return ((const struct buckets *)of)->v[i]->bucket;
}

static int64_t bucket_blocks(const void *of, size_t i)
{
	return (int64_t)((const struct buckets *)of)->v[i]->blocks;
}

static int put_buckets(const struct profile_data *d, FILE *out)
{
	static const struct column columns[] = {{"power", bucket_power, false},
						{"blocks", bucket_blocks, true}};
	struct buckets b = {malloc((d->n_lifetimes + 1) * sizeof *b.v), 0};

	if (!b.v)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_lifetimes; i++)
		if (d->lifetimes[i].axis == PD_LIFE_NS)
			b.v[b.n++] = &d->lifetimes[i];
	columns_put_table(&b, "buckets", columns, COUNT(columns), b.n, out);
	free(b.v);
	return 0;
}

/* ---- all ---- */

static int collect(struct rows *r, const struct report_options *o)
{
	const struct leaks_wanted wanted = leaks_wanted_json(o);
	uint32_t *rank = names_ranks(r->d);
	int err = rank ? leaks_collect(r->d, rank, &wanted, &r->leaks) : -ENOMEM;

	if (!err)
		err = describe_leaks(r);
	if (!err)
		err = graph_build(&r->graph, r->d, rank);
	if (!err)
		err = list_functions(r);
	if (!err)
		err = list_lives(r);
	free(rank);
	return err;
}

static int put(const struct rows *r, FILE *out)
{
	static const struct column functions[] = {
		{"function", function_place, false}, {"cycle", function_cycle, false},
		{"self_bytes", function_self_bytes, true},
		{"total_bytes", function_total_bytes, true},
		{"called", function_called, true}, {"recursive", function_recursive, true}};
	static const struct column lifetimes[] = {{"node", life_node, false},
						  {"frees", life_frees, true},
						  {"temporary", life_temporary, true},
						  {"buckets", life_buckets, false}};

	fputs("{\"schema\":\"mprof.rows.v1\",\n", out);
	int err = columns_put_strings(&r->types.strings, out);
	rows_types_put(&r->types, out);
	put_leaks(r, out);
	columns_put_table(r, "functions", functions, COUNT(functions), r->n_entries, out);
	columns_put_table(r, "lifetimes", lifetimes, COUNT(lifetimes), r->n_lives, out);
	if (!err)
		err = put_buckets(r->d, out);
	fputs("}\n", out);
	int lost = stream_flush(out);
	return lost ? lost : err;
}

int rows_json(const struct tree *t, const struct report_options *o, FILE *out)
{
	struct rows r = {.t = t, .d = t->d};
	int err = collect(&r, o);

	if (!err)
		err = put(&r, out);
	leaks_release(&r.leaks);
	rows_types_release(&r.types);
	free(r.list);
	free(r.verdict);
	graph_release(&r.graph);
	free(r.entries);
	free(r.lives);
	return err;
}
