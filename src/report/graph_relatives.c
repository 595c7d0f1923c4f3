/* SPDX-License-Identifier: BSD-2-Clause */
/* Ancestors and descendents of the entries of table 4. */
#include "base/array.h"
#include "report/graph.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CYCLE_NAME 32	/* "<cycle 4294967295>" */

static int add(struct graph_relatives *r, const struct graph_relative *one)
{
	if (ARRAY_RESERVE(&r->items, &r->cap, r->n))
		return -ENOMEM;
	r->items[r->n++] = *one;
	return 0;
}

/* The other end of edge @i, seen from the part @home. */
static struct graph_relative other_end(const struct graph *g, size_t i, enum graph_side side,
				       uint32_t home)
{
	const struct graph_edge *e = &g->edges[i];
	uint32_t node = side == GRAPH_CALLERS ? e->from : e->to;
	const struct graph_part *p = &g->parts[g->nodes[node].part];

	return (struct graph_relative){
		.part = g->nodes[node].part,
		.node = node,
		.fellow = g->nodes[node].part == home,
		.over = e->over,
		.total = side == GRAPH_CALLERS ? p->out.calls : p->in.calls,
	};
}

/* Adds the relatives of @node; with @cycles only those outside its part, cycles as a whole. */
static int add_edges_of(const struct graph *g, uint32_t node, enum graph_side side, bool cycles,
			struct graph_relatives *r)
{
	const struct graph_fan *fan = side == GRAPH_CALLERS ? &g->in : &g->out;
	int err = 0;

	for (size_t i = fan->first[node]; !err && i < fan->first[node + 1]; i++) {
		struct graph_relative one = other_end(g, fan->edge[i], side,
						      g->nodes[node].part);

		if (cycles && one.fellow)
			continue;
		if (cycles && g->parts[one.part].cycle)
			one.node = GRAPH_WHOLE;
		err = add(r, &one);
	}
	return err;
}

static int by_part(const void *left, const void *right)
{
	const struct graph_relative *a = left, *b = right;

	return a->part < b->part ? -1 : a->part > b->part;
}

/* Joins relatives of one part. (Outside a cycle a part is one function, or a cycle.) */
static void merge(struct graph_relatives *r)
{
	size_t n = 0;

	if (!r->n)
		return;
	qsort(r->items, r->n, sizeof *r->items, by_part);
	for (size_t i = 1; i < r->n; i++) {
		if (r->items[i].part == r->items[n].part)
			sums_add(&r->items[n].over, &r->items[i].over);
		else
			r->items[++n] = r->items[i];
	}
	r->n = n + 1;
}

/* The name that a relative is sorted by; @buf has room for that of a cycle. */
static const char *sort_name(const struct graph *g, const struct graph_relative *r,
			     char buf[CYCLE_NAME])
{
	if (r->node != GRAPH_WHOLE)
		return names_text(g->d, g->nodes[r->node].function);
	snprintf(buf, CYCLE_NAME, "<cycle %u>", g->parts[r->part].cycle);
	return buf;
}

/* By decreasing name; but among equal names by increasing address. */
static int in_order(const void *left, const void *right, void *graph)
{
	const struct graph *g = graph;
	const struct graph_relative *a = left, *b = right;
	char buf_a[CYCLE_NAME], buf_b[CYCLE_NAME];

	if (a->node != GRAPH_WHOLE && b->node != GRAPH_WHOLE) {
		uint32_t s = g->falling[g->nodes[a->node].function];
		uint32_t t = g->falling[g->nodes[b->node].function];

		return s < t ? -1 : s > t;
	}
	int c = strcmp(sort_name(g, b, buf_b), sort_name(g, a, buf_a));

	return c ? c : a->node == GRAPH_WHOLE ? -1 : 1;
}

int graph_relatives(const struct graph *g, const struct graph_entry *e, enum graph_side side,
		    struct graph_relatives *r)
{
	const struct graph_part *p = &g->parts[e->part];
	int err = 0;

	r->n = 0;
	if (e->node != GRAPH_WHOLE)
		err = add_edges_of(g, e->node, side, false, r);
	for (uint32_t i = 0; e->node == GRAPH_WHOLE && !err && i < p->n; i++)
		err = add_edges_of(g, g->members[p->first + i], side, true, r);
	if (err)
		return err;
	if (e->node == GRAPH_WHOLE)
		merge(r);
	if (r->n)
		qsort_r(r->items, r->n, sizeof *r->items, in_order, (void *)g);
	return 0;
}
