/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_GRAPH_H
#define MPROF_REPORT_GRAPH_H

#include "profile/profile_data.h"
#include "report/sums.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The call graph of doc/tables.md, section 7. Its nodes are the functions that occur in a chain.
 * A part is a strongly connected component: a cycle, or a single function that is in no cycle.
 */
#define GRAPH_WHOLE UINT32_MAX	/* instead of a node: a cycle as a whole */

struct graph_node {
	uint32_t function;	/* a number of names.h */
	uint32_t part;
	uint32_t index;		/* as printed */
	struct sums own;	/* direct requests */
	uint64_t recursive;	/* requests through the arc to itself */
};

/* An arc between two different functions. Inside a cycle one request may count several times. */
struct graph_edge {
	uint32_t from, to;	/* nodes */
	struct sums over;
};

/* Edges by node: those of node v have the numbers edge[first[v]], ..., edge[first[v + 1] - 1]. */
struct graph_fan {
	size_t *first;
	uint32_t *edge;
};

struct graph_part {
	uint32_t first, n;	/* its nodes are members[first], ..., sorted by index */
	uint32_t cycle;		/* the number of the cycle, 0 if it is none */
	uint32_t index;		/* of the cycle, or of its only function */
	uint32_t level;
	struct sums own, in, out;
	uint64_t inside;	/* requests through all arcs from members to members */
};

struct graph_entry {
	uint32_t part;
	uint32_t node;		/* GRAPH_WHOLE: the (double) entry of the cycle */
	uint32_t name;		/* the rank of its name */
	uint32_t level;
	uint64_t bytes;
};

struct graph {
	const struct profile_data *d;	/* both must outlive the graph */
	const uint32_t *rank;
	uint32_t *falling;	/* from names_falling() */
	struct graph_node *nodes;
	size_t n_nodes;
	struct graph_edge *edges;
	size_t n_edges;
	struct graph_fan in, out;	/* the edges by to and by from */
	struct graph_part *parts;
	size_t n_parts;
	uint32_t *members;
	struct graph_entry *entries;	/* in the order of their indices */
	size_t n_entries;
	struct sums total;		/* everything requested */
};

/* @rank  from names_ranks(). Returns 0 or -ENOMEM; either way graph_release() is fine. */
int graph_build(struct graph *g, const struct profile_data *d, const uint32_t *rank);
void graph_release(struct graph *g);

/* The steps of graph_build(): each fills in what the next ones need. They return 0 or -ENOMEM. */
int graph_find_edges(struct graph *g);	/* nodes, edges, total */
int graph_find_parts(struct graph *g);	/* parts, levels, sums */
int graph_find_order(struct graph *g);	/* entries, indices, numbers of the cycles */

enum graph_side { GRAPH_CALLERS, GRAPH_CALLEES };

/* An ancestor or descendent of an entry. */
struct graph_relative {
	uint32_t part;
	uint32_t node;		/* GRAPH_WHOLE: a cycle as a whole */
	bool fellow;		/* in the same cycle as the function it is a relative of */
	struct sums over;	/* of the edge, or the sum over several edges */
	uint64_t total;		/* for a caller, all requests in its part's out; for a callee, in */
};

struct graph_relatives {
	struct graph_relative *items;
	size_t n, cap;
};

/**
 * The relatives of an entry on one side, in the order of table 4. Those of a function are
 * functions, those of a cycle are functions and other cycles.
 * @r  zeroed, or from an earlier call, whose relatives are replaced; free(r->items) at the end
 * Returns 0 or -ENOMEM.
 */
int graph_relatives(const struct graph *g, const struct graph_entry *e, enum graph_side side,
		    struct graph_relatives *r);

#endif
