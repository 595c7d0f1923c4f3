/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_FIGURES_INTERNAL_H
#define MPROF_TOP_FIGURES_INTERNAL_H

#include "top/figures.h"

/* The members of the object, and what their lists consist of. */
#define FIGURES_MARK	    "version"
#define FIGURES_HEAD	    "head"	/* the fields of struct figures_head, in order */
#define FIGURES_TOTALS	    "totals"	/* those of struct pd_totals */
#define FIGURES_PLACES	    "places"	/* module, address, 1 exact + 2 guessed; and so on */
#define FIGURES_NODES	    "nodes"	/* parent, place; from PD_FIRST_NODE on */
#define FIGURES_LEAVES_NAME "leaves"	/* node, size, allocs, frees */
#define FIGURES_REST	    "rest"	/* the fields of struct figures_rest */
#define FIGURES_TEMPORARY   "temporary" /* node, blocks */
#define FIGURES_THREADS	    "threads"	/* task, allocs, alloc_bytes, frees, free_bytes */
#define FIGURES_FILES	    "files"	/* [path, descriptor] */

enum { N_FIGURES_TOTALS = 13, N_FIGURES_HEAD = 14 };

/* Field number @i, in the order of the structure. */
uint64_t *figures_total(struct pd_totals *t, size_t i);
uint64_t *figures_head_number(struct figures_head *h, size_t i);

#endif
