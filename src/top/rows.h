/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_ROWS_H
#define MPROF_TOP_ROWS_H

#include "top/look.h"

/* What a row is about. */
enum top_by {
	TOP_SITES, /* call sites: so many innermost elements of chains */
	TOP_SIZES, /* requests of one size */
	TOP_THREADS, /* what one thread has done */
	TOP_BYS,
};

/* What the first row has most of. */
enum top_sort {
	TOP_LIVE,      /* live bytes; of a thread, bytes that it requested */
	TOP_GROWTH,    /* of them, since the look before */
	TOP_ALLOCS,    /* requests since the look before */
	TOP_TEMPORARY, /* blocks freed before their thread requested again */
	TOP_SORTS,
};

/* The words for them, in options and JSON. */
extern const char *const top_by_words[TOP_BYS], *const top_sort_words[TOP_SORTS];

enum { TOP_DEPTH_MAX = 1000 };

struct top_how {
	enum top_by by;
	enum top_sort sort;
	unsigned depth;	    /* 1...: so many elements of a chain tell sites apart */
	bool innermost;	    /* chains begin where memory is requested, and not at the first
			       element that is the program's own code */
	bool no_zeros;	    /* without rows in which all figures that lines have are 0 */
	const char *filter; /* only rows whose name has this in it, in capitals or not, or whose
			       size or thread has; NULL or empty: all */
};

struct top_row {
	char *name;    /* as it is in the program; of a size its types, or "", and of a thread,
			  too */
	uint64_t size; /* of each block, if the row is about a size; of a thread its number, of
			  several 0 */
	uint64_t live_bytes, live_blocks, allocs;
	uint64_t alloc_bytes, frees, free_bytes; /* of a thread, which has no live ones: others
						    may free its blocks */
	uint64_t temporary; /* of a size it is not known, and 0 */
	/* Since the look before; 0: there was none. */
	int64_t growth; /* of live bytes; of a thread, of bytes requested */
	double allocs_per_s, frees_per_s;
	uint32_t node;	   /* where its heaviest chain ends */
	uint64_t heaviest; /* live bytes of that */
};

struct top_rows {
	struct top_row *v;
	size_t n, cap;
};

/**
 * The rows of a look, in order.
 * @before  the look before, for differences; NULL: there was none
 * Returns 0, and top_rows_release() is to be called, or -ENOMEM.
 */
int top_rows(const struct top_look *now, const struct top_look *before, const struct top_how *how,
	     struct top_rows *out);

/* Of a row of top_rows() that is no thread, the whole chains that it stands for: a row for each,
 * whose node is its end. Returns as above. */
int top_chains(const struct top_look *now, const struct top_look *before, const struct top_how *how,
	       const struct top_row *row, struct top_rows *out);
void top_rows_release(struct top_rows *r);

/* The elements of the chain that ends at @node, innermost first: "main (a.c:3)", each on a line.
 * For free(), or NULL: out of memory. */
char *top_chain_text(const struct profile_data *d, uint32_t node);

#endif
