/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_MS_PRINT_H
#define MPROF_MASSIF_MS_PRINT_H

#include "massif/read.h"

struct ms_print_options {
	unsigned columns, rows;	/* of the graph, 4 to 1000 */
	double threshold;	/* per cent of a snapshot's total */
	const char *arguments;	/* for the third line of the preamble */
};

/**
 * Print a massif file as ms_print of Valgrind 3.19 does: preamble, graph, list of snapshots, trees.
 * The caller checks @out for errors. Returns 0 or -ENOMEM.
 */
int ms_print(const struct massif_file *f, const struct ms_print_options *o, FILE *out);

/* For ms_print: a value scaled to its unit. */
struct ms_label {
	char text[32];		/* 5 columns, or slightly more */
	const char *unit;
};

/* @time_unit  "i", "ms" or "B" */
struct ms_label ms_label(uint64_t value, const char *time_unit);

/* The graph with its axes. 0 or -ENOMEM. */
int ms_graph(const struct massif_file *f, const struct ms_print_options *o, FILE *out);

/* The number with commas between groups of three digits, in @text. */
const char *ms_commas(char text[32], uint64_t n);

#endif
