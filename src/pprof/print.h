/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_PRINT_H
#define MPROF_PPROF_PRINT_H

#include "pprof/entries.h"

#include <stdio.h>

/* What of a graph is shown. */
struct heap_graph {
	uint64_t nodes;		/* so many at most */
	double node_fraction, edge_fraction; /* of the total, 0 to 1: none that has not more */
};

struct heap_view {
	enum heap_value value;
	enum heap_grain grain;
	bool show_bytes;	/* bytes, not MB */
	bool cumulative;	/* sorted by that */
	bool is_difference;	/* a base was taken away */
	bool short_names;	/* of folded stacks */
	bool symbols;		/* the text format with names in it */
	struct heap_graph graph;
	int64_t total;		/* of all stacks, before some were chosen */
};

/*
 * The forms of a heap profile. Names are made harmless for a terminal where they are for people.
 * All return 0 or -errno; whether @out could be written is the caller's to see.
 */

/* As google-pprof --text. */
int heap_print_text(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* Folded stacks, for flame graphs: outermost;...;innermost value. */
int heap_print_folded(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* A graph for dot(1), as google-pprof --dot. */
int heap_print_dot(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* Schema mprof.heap.v1, described in mprof(1). */
int heap_print_json(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* The text format of the gperftools heap profiler. */
int heap_print_heap(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* profile.proto, compressed with gzip; to the descriptor behind @out. */
int heap_print_proto(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

/* The source lines of the functions that match @re, with their numbers. *any becomes true if one
 * does. */
int heap_print_list(const struct heap_stacks *h, const struct heap_view *v, const char *re,
		    FILE *out, bool *any, struct error *e);

#endif
