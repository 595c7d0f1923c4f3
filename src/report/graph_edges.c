/* SPDX-License-Identifier: BSD-2-Clause */
/* From the tree of call sites to the functions in it and the arcs between them. */
#include "base/array.h"
#include "base/idindex.h"
#include "report/graph.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

#define NO_NODE UINT32_MAX

struct builder {
	struct graph *g;
	struct sums *below;	/* by node of the tree: all requests whose chain passes it */
	uint32_t *node_of;	/* by function: its node or NO_NODE */
	size_t cap_nodes, cap_edges;
	struct idindex index;	/* of the edges */
};

/* A parent stands before its children, so one pass from the end adds up all subtrees. */
static void add_up(const struct profile_data *d, struct sums *below)
{
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];

		sums_count(&below[l->node], d, l);
	}
	for (size_t i = d->n_nodes; i-- > PD_FIRST_NODE;)
		sums_add(&below[d->nodes[i].parent], &below[i]);
}

/* Put the node of a function into *node. Returns 0 or -ENOMEM. */
static int intern_node(struct builder *b, uint32_t function, uint32_t *node)
{
	struct graph *g = b->g;

	*node = b->node_of[function];
	if (*node != NO_NODE)
		return 0;
	if (ARRAY_RESERVE(&g->nodes, &b->cap_nodes, g->n_nodes))
		return -ENOMEM;
	*node = b->node_of[function] = (uint32_t)g->n_nodes;
	g->nodes[g->n_nodes++] = (struct graph_node){ .function = function };
	return 0;
}

static bool same_edge(const void *ctx, uint32_t item, const void *key)
{
	const struct graph *g = ctx;
	const struct graph_edge *a = &g->edges[item], *b = key;

	return a->from == b->from && a->to == b->to;
}

static uint64_t hash_of(const struct graph_edge *e)
{
	return hash_add(hash_mix(e->from), e->to);
}

static uint64_t hash_of_item(const void *ctx, uint32_t item)
{
	return hash_of(&((const struct graph *)ctx)->edges[item]);
}

static int add_edge(struct builder *b, const struct graph_edge *e)
{
	struct graph *g = b->g;
	uint64_t hash = hash_of(e);
	uint32_t i = idindex_find(&b->index, hash, same_edge, g, e);

	if (i != IDINDEX_NONE) {
		sums_add(&g->edges[i].over, &e->over);
		return 0;
	}
	if (ARRAY_RESERVE(&g->edges, &b->cap_edges, g->n_edges) ||
	    idindex_add(&b->index, (uint32_t)g->n_edges, hash, hash_of_item, g))
		return -ENOMEM;
	g->edges[g->n_edges++] = *e;
	return 0;
}

/* Adds the function at node @i of the tree, and the arc to it from its parent's. */
static int add_place(struct builder *b, size_t i)
{
	const struct profile_data *d = b->g->d;
	uint32_t parent = d->nodes[i].parent;
	struct graph_edge e = { .over = b->below[i] };
	int err = intern_node(b, names_function(d, d->nodes[i].site), &e.to);

	if (err || parent < PD_FIRST_NODE)
		return err;	/* the chain begins here */
	err = intern_node(b, names_function(d, d->nodes[parent].site), &e.from);
	if (err)
		return err;
	if (e.from != e.to)
		return add_edge(b, &e);
	b->g->nodes[e.to].recursive += e.over.calls;
	return 0;
}

static int add_own(struct builder *b, const struct pd_leaf *l)
{
	const struct profile_data *d = b->g->d;
	uint32_t node;
	int err = intern_node(b, names_function(d, d->nodes[l->node].site), &node);

	if (err)
		return err;
	sums_count(&b->g->nodes[node].own, d, l);
	sums_count(&b->g->total, d, l);
	return 0;
}

static uint32_t end_of(const struct graph_edge *e, enum graph_side side)
{
	return side == GRAPH_CALLERS ? e->to : e->from;
}

/* Sorts the edges by the node that they lead to (GRAPH_CALLERS) or come from (GRAPH_CALLEES). */
static int spread(const struct graph *g, enum graph_side side, struct graph_fan *fan)
{
	fan->first = calloc(g->n_nodes + 2, sizeof *fan->first);
	fan->edge = malloc((g->n_edges + 1) * sizeof *fan->edge);
	if (!fan->first || !fan->edge)
		return -ENOMEM;
	/* One element further than the result: filling in moves each one back. */
	size_t *next = fan->first + 1;

	for (size_t i = 0; i < g->n_edges; i++)
		next[end_of(&g->edges[i], side) + 1]++;
	for (size_t v = 0; v < g->n_nodes; v++)
		next[v + 1] += next[v];
	for (size_t i = 0; i < g->n_edges; i++)
		fan->edge[next[end_of(&g->edges[i], side)]++] = (uint32_t)i;
	return 0;
}

static int find_edges(struct builder *b)
{
	const struct profile_data *d = b->g->d;
	size_t n = names_count(d);
	int err = 0;

	b->below = calloc(d->n_nodes, sizeof *b->below);
	b->node_of = malloc(n * sizeof *b->node_of);
	if (!b->below || !b->node_of)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		b->node_of[i] = NO_NODE;
	add_up(d, b->below);
	for (size_t i = PD_FIRST_NODE; !err && i < d->n_nodes; i++)
		if (b->below[i].calls)	/* a node that no request passed is in no chain */
			err = add_place(b, i);
	for (size_t i = 0; !err && i < d->n_leaves; i++)
		err = add_own(b, &d->leaves[i]);
	if (!err)
		err = spread(b->g, GRAPH_CALLERS, &b->g->in);
	if (!err)
		err = spread(b->g, GRAPH_CALLEES, &b->g->out);
	return err;
}

int graph_find_edges(struct graph *g)
{
	struct builder b = { .g = g };
	int err = find_edges(&b);

	free(b.below);
	free(b.node_of);
	idindex_release(&b.index);
	return err;
}
