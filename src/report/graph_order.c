/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of the entries of table 4, their indices and the numbers of the cycles. */
#include "report/graph.h"

#include <errno.h>
#include <stdlib.h>

static int in_order(const void *left, const void *right)
{
	const struct graph_entry *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	if ((a->node == GRAPH_WHOLE) != (b->node == GRAPH_WHOLE))
		return a->node == GRAPH_WHOLE ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void add_function(struct graph *g, uint32_t node, uint64_t bytes)
{
	uint32_t part = g->nodes[node].part;

	g->entries[g->n_entries++] = (struct graph_entry){
		.part = part,
		.node = node,
		.name = g->rank[g->nodes[node].function],
		.level = g->parts[part].level,
		.bytes = bytes,
	};
}

static void add_cycle(struct graph *g, uint32_t part)
{
	const struct graph_part *p = &g->parts[part];
	struct graph_entry *e = &g->entries[g->n_entries++];

	*e = (struct graph_entry){
		.part = part,
		.node = GRAPH_WHOLE,
		.name = UINT32_MAX,
		.level = p->level,
		.bytes = sums_total(p->own.bytes) + sums_total(p->out.bytes),
	};
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t node = g->members[p->first + i];
		uint32_t name = g->rank[g->nodes[node].function];

		if (name < e->name)
			e->name = name;
		add_function(g, node, sums_total(g->nodes[node].own.bytes));
	}
}

static void add_part(struct graph *g, uint32_t part)
{
	const struct graph_part *p = &g->parts[part];

	if (p->n > 1)
		add_cycle(g, part);
	else
		add_function(g, g->members[p->first],
			     sums_total(p->own.bytes) + sums_total(p->out.bytes));
}

static int by_index(const void *left, const void *right, void *nodes)
{
	const struct graph_node *n = nodes;
	uint32_t a = n[*(const uint32_t *)left].index, b = n[*(const uint32_t *)right].index;

	return a < b ? -1 : a > b;
}

static void hand_out_indices(struct graph *g)
{
	uint32_t cycles = 0;

	for (uint32_t i = 0; i < g->n_entries; i++) {
		const struct graph_entry *e = &g->entries[i];
		struct graph_part *p = &g->parts[e->part];

		if (e->node == GRAPH_WHOLE)
			p->cycle = ++cycles;
		else
			g->nodes[e->node].index = i;
		if (e->node == GRAPH_WHOLE || p->n == 1)
			p->index = i;
	}
	for (size_t i = 0; i < g->n_parts; i++)
		qsort_r(g->members + g->parts[i].first, g->parts[i].n, sizeof *g->members,
			by_index, g->nodes);
}

int graph_find_order(struct graph *g)
{
	/* Each node has an entry, and each part at most one more. */
	g->entries = calloc(g->n_nodes + g->n_parts + 1, sizeof *g->entries);
	if (!g->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->n_parts; i++)
		add_part(g, i);
	qsort(g->entries, g->n_entries, sizeof *g->entries, in_order);
	hand_out_indices(g);
	return 0;
}
