/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_GRAPH_CUT_H
#define MPROF_REPORT_GRAPH_CUT_H

#include "report/graph.h"
#include "report/report.h"

/*
 * What a terse call graph leaves out: functions, and arcs in the entries of others, with at most 1%
 * of all bytes; a cycle counts as one function. As in table 2, fewer than GRAPH_CUT_LEAST functions
 * are not worth leaving out. Zeroed: nothing is left out.
 */
#define GRAPH_CUT_LEAST 10

struct graph_cut {
	const struct graph *g;	/* NULL: nothing is left out */
	size_t functions;	/* how many are left out */
	uint64_t own;		/* the bytes they requested directly */
};

/* What is left out at this level. @g must outlive the result. */
struct graph_cut graph_cut_find(const struct graph *g, enum report_level level);

/* Is the entry, or the line of a relative, left out? */
bool graph_cut_has_entry(const struct graph_cut *c, const struct graph_entry *e);
bool graph_cut_has_relative(const struct graph_cut *c, const struct graph_relative *r);

#endif
