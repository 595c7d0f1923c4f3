/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The strongly connected components of the call graph, by Tarjan's algorithm (SIAM J. Comput. 1
 * (1972) 146). Without recursion: a chain of 100,000 functions must not need a stack as deep.
 */
#include "report/graph.h"

#include <errno.h>
#include <stdlib.h>

#define NO_PART UINT32_MAX

struct search {
	struct graph *g;
	uint32_t *number;	/* in the order of discovery, from 1; 0: not seen yet */
	uint32_t *low;		/* the lowest number of its part known to be reachable */
	uint32_t *open;		/* stack of nodes whose part is not complete */
	uint32_t *way;		/* stack of nodes from the start of the search to where it is */
	size_t *next;		/* by node: its next edge to follow, an index into out.edge */
	size_t n_open, n_way;
	uint32_t n_seen;
};

static void enter(struct search *s, uint32_t v)
{
	s->number[v] = s->low[v] = ++s->n_seen;
	s->next[v] = s->g->out.first[v];
	s->open[s->n_open++] = v;
	s->way[s->n_way++] = v;
}

static void lower(uint32_t *low, uint32_t to)
{
	if (to < *low)
		*low = to;
}

/* If @v reaches no node found before it, the open nodes from it on are a part. */
static void close_part(struct search *s, uint32_t v)
{
	struct graph *g = s->g;
	struct graph_part *p = &g->parts[g->n_parts];
	uint32_t w;

	*p = (struct graph_part){ 0 };
	if (g->n_parts)
		p->first = p[-1].first + p[-1].n;
	do {
		w = s->open[--s->n_open];
		g->nodes[w].part = (uint32_t)g->n_parts;
		g->members[p->first + p->n++] = w;
	} while (w != v);
	g->n_parts++;
}

/* One step of the search: along the present node's next edge, or back. */
static void step(struct search *s)
{
	struct graph *g = s->g;
	uint32_t v = s->way[s->n_way - 1];

	if (s->next[v] < g->out.first[v + 1]) {
		uint32_t w = g->edges[g->out.edge[s->next[v]++]].to;

		if (!s->number[w])
			enter(s, w);
		else if (g->nodes[w].part == NO_PART)
			lower(&s->low[v], s->number[w]);
		return;
	}
	s->n_way--;
	if (s->n_way)
		lower(&s->low[s->way[s->n_way - 1]], s->low[v]);
	if (s->low[v] == s->number[v])
		close_part(s, v);
}

static int find_components(struct graph *g)
{
	size_t n = g->n_nodes + 1;
	struct search s = { .g = g };
	int err = -ENOMEM;

	g->parts = calloc(n, sizeof *g->parts);
	g->members = calloc(n, sizeof *g->members);
	s.number = calloc(n, sizeof *s.number);
	s.low = calloc(n, sizeof *s.low);
	s.open = calloc(n, sizeof *s.open);
	s.way = calloc(n, sizeof *s.way);
	s.next = calloc(n, sizeof *s.next);
	if (!g->parts || !g->members || !s.number || !s.low || !s.open || !s.way || !s.next)
		goto out;
	for (uint32_t v = 0; v < g->n_nodes; v++)
		g->nodes[v].part = NO_PART;
	for (uint32_t v = 0; v < g->n_nodes; v++) {
		if (s.number[v])
			continue;
		enter(&s, v);
		while (s.n_way)
			step(&s);
	}
	err = 0;
out:
	free(s.number);
	free(s.low);
	free(s.open);
	free(s.way);
	free(s.next);
	return err;
}

static void sum_up(struct graph *g)
{
	for (size_t v = 0; v < g->n_nodes; v++) {
		struct graph_part *p = &g->parts[g->nodes[v].part];

		sums_add(&p->own, &g->nodes[v].own);
		p->inside += g->nodes[v].recursive;
	}
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct graph_edge *e = &g->edges[i];
		struct graph_part *from = &g->parts[g->nodes[e->from].part];
		struct graph_part *to = &g->parts[g->nodes[e->to].part];

		if (from == to) {
			from->inside += e->over.calls;
			continue;
		}
		sums_add(&from->out, &e->over);
		sums_add(&to->in, &e->over);
	}
}

static void raise_callees(struct graph *g, uint32_t v)
{
	uint32_t level = g->parts[g->nodes[v].part].level + 1;

	for (size_t i = g->out.first[v]; i < g->out.first[v + 1]; i++) {
		struct graph_part *to = &g->parts[g->nodes[g->edges[g->out.edge[i]].to].part];

		if (to != &g->parts[g->nodes[v].part] && to->level < level)
			to->level = level;
	}
}

int graph_find_parts(struct graph *g)
{
	int err = find_components(g);

	if (err)
		return err;
	sum_up(g);
	/* A part is complete only after all parts it can reach: backwards, callers come first. */
	for (size_t p = g->n_parts; p-- > 0;)
		for (uint32_t i = 0; i < g->parts[p].n; i++)
			raise_callees(g, g->members[g->parts[p].first + i]);
	return 0;
}
