/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph for Graphviz. Source: google-pprof 2.10, PrintDot(). */
#include "pprof/print.h"

#include "base/array.h"
#include "base/printable.h"
#include "base/text.h"
#include "pprof/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most edges to or from a node, except for the first edge to each. */
#define MOST_EDGES 8

struct edge {
	uint32_t from, to;	/* nodes: caller, called */
	int64_t value;
};

struct graph {
	const struct heap_view *view;
	struct heap_entries entries;
	uint32_t *sorted;	/* entries, sorted by cumulative value */
	size_t n_nodes;		/* number of nodes that are shown */
	uint32_t *node;		/* by entry: its node's number; PP_NONE: not shown */
	struct edge *edges;
	size_t n_edges, cap_edges;
	int64_t total, least_node, least_edge;
	/* the stack that is being walked */
	uint32_t called;
	int64_t value;
	bool failed;
};

static uint64_t size_of(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* ---- nodes ---- */

static int largest_first(const void *left, const void *right, void *ctx)
{
	const struct graph *g = ctx;
	const struct heap_entry *a = &g->entries.v[*(const uint32_t *)left];
	const struct heap_entry *b = &g->entries.v[*(const uint32_t *)right];
	uint64_t x = size_of(a->cumulative), y = size_of(b->cumulative);

	return x != y ? (x > y ? -1 : 1) : strcmp(a->name, b->name);
}

static int choose_nodes(struct graph *g)
{
	size_t n = g->entries.n;

	g->sorted = malloc((n + 1) * sizeof *g->sorted);
	g->node = malloc((n + 1) * sizeof *g->node);
	if (!g->sorted || !g->node)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		g->sorted[i] = i;
		g->node[i] = PP_NONE;
	}
	qsort_r(g->sorted, n, sizeof *g->sorted, largest_first, g);
	g->n_nodes = n < g->view->graph.nodes ? n : g->view->graph.nodes;
	while (g->n_nodes && size_of(g->entries.v[g->sorted[g->n_nodes - 1]].cumulative) <=
				     size_of(g->least_node))
		g->n_nodes--;
	for (size_t i = 0; i < g->n_nodes; i++)
		g->node[g->sorted[i]] = (uint32_t)i + 1;
	return 0;
}

/* Print a name as a label, with a line break at each blank and each "::". */
static void print_name(const char *name, FILE *out)
{
	char *safe = printable_copy(name);

	for (const char *s = safe; s && *s;) {
		size_t blanks = strspn(s, " \t");

		if (blanks || text_begins(s, "::")) {
			fputs("\\n", out);
			s += blanks ? blanks : 2;
			continue;
		}
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		fputc(*s++, out);
	}
	free(safe);
}

static void print_node(const struct graph *g, const struct heap_entry *e, uint32_t number,
		       FILE *out)
{
	char flat[32], cumulative[32], part[32], whole[32];
	double share = g->total > 0 ? fabs((double)e->flat / (double)g->total) : 0;

	heap_number(flat, g->view, e->flat);
	heap_number(cumulative, g->view, e->cumulative);
	heap_percent(part, e->flat, g->total);
	heap_percent(whole, e->cumulative, g->total);
	fprintf(out, "N%" PRIu32 " [label=\"", number);
	print_name(e->name, out);
	fprintf(out, "\\n%s (%s)", flat, part);
	if (e->flat != e->cumulative)
		fprintf(out, "\\rof %s (%s)", cumulative, whole);
	fprintf(out, "\\r\",shape=box,fontsize=%.1f];\n", 8 + 50 * sqrt(share));
}

/* ---- edges ---- */

static void add_frame(void *ctx, uint32_t entry)
{
	struct graph *g = ctx;
	uint32_t from = g->node[entry], to = g->called;

	g->called = from;
	if (from == PP_NONE || to == PP_NONE || g->failed)
		return;
	if (ARRAY_RESERVE(&g->edges, &g->cap_edges, g->n_edges))
		g->failed = true;
	else
		g->edges[g->n_edges++] = (struct edge){ from, to, g->value };
}

static int by_ends(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static int heaviest_first(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return by_ends(left, right);
}

/* Merge equal edges, adding up their values. */
static void merge_edges(struct graph *g)
{
	size_t n = 0;

	if (g->n_edges)
		qsort(g->edges, g->n_edges, sizeof *g->edges, by_ends);
	for (size_t i = 0; i < g->n_edges; i++) {
		if (n && !by_ends(&g->edges[n - 1], &g->edges[i]))
			g->edges[n - 1].value = stack_sum(g->edges[n - 1].value, g->edges[i].value);
		else
			g->edges[n++] = g->edges[i];
	}
	g->n_edges = n;
	if (n)
		qsort(g->edges, n, sizeof *g->edges, heaviest_first);
}

static void print_edge(const struct graph *g, const struct edge *e, FILE *out)
{
	const char *called = g->entries.v[g->sorted[e->to - 1]].name;
	double share = g->total ? fabs(3 * ((double)e->value / (double)g->total)) : 0;
	double weight = pow((double)size_of(e->value), 0.7);
	char label[32];

	heap_number(label, g->view, e->value);
	/* dot(1) accepts limited weights only. */
	fprintf(out,
		"N%" PRIu32 " -> N%" PRIu32
		" [label=%s, weight=%d, style=\"setlinewidth(%f)%s\"];\n",
		e->from, e->to, label, weight > 100000 ? 100000 : (int)weight,
		2 * (share > 1 ? 1 : share), strstr(called, "(inline)") ? ",dashed" : "");
}

static int print_edges(const struct graph *g, FILE *out)
{
	unsigned *in = calloc(g->n_nodes + 1, sizeof *in),
		 *away = calloc(g->n_nodes + 1, sizeof *away);

	for (size_t i = 0; in && away && i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];
		bool is_light = size_of(e->value) <= size_of(g->least_edge);

		/* The first edge to a node is always shown. */
		if (in[e->to] &&
		    (is_light || in[e->to] >= MOST_EDGES || away[e->from] >= MOST_EDGES))
			continue;
		in[e->to]++;
		away[e->from]++;
		print_edge(g, e, out);
	}
	int err = in && away ? 0 : -ENOMEM;
	free(in);
	free(away);
	return err;
}

/* ---- all of it ---- */

static void print_head(const struct graph *g, const struct heap_stacks *h, FILE *out)
{
	const char *unit = heap_unit(g->view), *program = h->n_mappings ? h->mappings[0].path : "?";
	char total[32], shown[32], node[32], edge[32];

	heap_number(total, g->view, g->view->total);
	heap_number(shown, g->view, g->total);
	heap_number(node, g->view, g->least_node);
	heap_number(edge, g->view, g->least_edge);
	fputs("digraph \"", out);
	print_name(program, out);
	fprintf(out, "; %s %s\" {\nnode [width=0.375,height=0.25];\n", total, unit);
	fputs("Legend [shape=box,fontsize=24,shape=plaintext,label=\"", out);
	print_name(program, out);
	fprintf(out, "\\lTotal %s: %s\\lFocusing on: %s\\lDropped nodes with <= %s abs(%s)\\l"
		"Dropped edges with <= %s %s\\l\"];\n", unit, total, shown, node, unit, edge, unit);
}

static int print_graph(struct graph *g, const struct heap_stacks *h, FILE *out)
{
	int err = choose_nodes(g);

	for (size_t i = 0; !err && i < h->stacks.n; i++) {
		g->called = PP_NONE;
		g->value = h->stacks.stacks[i].value[g->view->value];
		heap_entries_walk(&g->entries, h, &h->stacks.stacks[i], add_frame, g);
	}
	if (err || g->failed)
		return -ENOMEM;
	merge_edges(g);
	print_head(g, h, out);
	for (size_t i = 0; i < g->n_nodes; i++)
		print_node(g, &g->entries.v[g->sorted[i]], (uint32_t)i + 1, out);
	err = print_edges(g, out);
	fputs("}\n", out);
	return err;
}

int heap_print_dot(const struct heap_stacks *h, const struct heap_view *v, FILE *out)
{
	struct graph g = { .view = v, .total = heap_stacks_total(h, v->value) };
	int err = heap_entries_find(&g.entries, h, v->grain, false, v->value);

	g.least_node = (int64_t)(v->graph.node_fraction * (double)g.total);
	g.least_edge = (int64_t)(v->graph.edge_fraction * (double)g.total);
	if (!err)
		err = print_graph(&g, h, out);
	free(g.sorted);
	free(g.node);
	free(g.edges);
	heap_entries_release(&g.entries);
	return err;
}
