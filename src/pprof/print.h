/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_PRINT_H
#define MPROF_PPROF_PRINT_H

#include "pprof/entries.h"

#include <stdio.h>

/* Which part of a graph is shown. */
struct heap_graph {
	uint64_t nodes;		/* the most nodes */
	double node_fraction, edge_fraction; /* of the total, 0 to 1: smaller ones are not shown */
};

struct heap_view {
	enum heap_value value;
	enum heap_grain grain;
	bool show_bytes;	/* in bytes, not MB */
	bool cumulative;	/* sort by cumulative value */
	bool is_difference;	/* a base was subtracted */
	bool short_names;	/* in folded stacks: short names */
	bool symbols;		/* text format with names */
	struct heap_graph graph;
	int64_t total;		/* of all stacks, before any were selected */
};

/*
 * Print a heap profile. Names are escaped where the output is for people. All return 0 or -errno;
 * the caller checks @out for errors.
 */

/* As google-pprof --text. */
int heap_print_text(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* Folded stacks, for flame graphs: outermost;...;innermost value. */
int heap_print_folded(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* A graph for dot(1), as google-pprof --dot. */
int heap_print_dot(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* Schema mprof.stacks.v1, described in mprof-report(1). */
int heap_print_json(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* The text format of the gperftools heap profiler. */
int heap_print_heap(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* profile.proto, compressed by gzip; written to the descriptor of @out. */
int heap_print_proto(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* Print the source lines of the functions that match @re, with their numbers. *any is set if one
 * does. */
int heap_print_list(const struct heap_stacks *h, const struct heap_view *v, const char *re,
		    FILE *out, bool *any, struct error *e);

#endif
