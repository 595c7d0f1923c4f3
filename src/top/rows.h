/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_ROWS_H
#define MPROF_TOP_ROWS_H

#include "top/look.h"

/* What a row is about. */
enum top_by {
	TOP_SITES, /* call sites: so many innermost frames of chains */
	TOP_SIZES, /* requests of one size */
	TOP_THREADS, /* what each thread has done */
	TOP_BYS,
};

/* The figure that rows are sorted by, highest first. */
enum top_sort {
	TOP_LIVE,      /* live bytes; for threads, bytes that they requested */
	TOP_GROWTH,    /* increase of that since the previous look */
	TOP_ALLOCS,    /* requests since the previous look */
	TOP_TEMPORARY, /* blocks freed before their thread requested another */
	TOP_SORTS,
};

/* Their names in options and JSON. */
extern const char *const top_by_words[TOP_BYS], *const top_sort_words[TOP_SORTS];

enum { TOP_DEPTH_MAX = 1000 };

struct top_how {
	enum top_by by;
	enum top_sort sort;
	unsigned depth;	    /* 1...: sites are told apart by so many frames */
	bool innermost;	    /* chains begin at the request, and not at the first frame in the
			       program's own code */
	bool no_zeros;	    /* leave out rows whose figures are all 0 */
	const char *filter; /* only rows whose name, size or thread contains this, ignoring case;
			       NULL or empty: all */
};

struct top_row {
	char *name;    /* unescaped; for a size its types, or ""; for a thread its name, or "" */
	uint64_t size; /* of each block, if the row is about a size; for a thread its tid, for
		          several threads 0 */
	uint64_t live_bytes, live_blocks, allocs;
	uint64_t alloc_bytes, frees, free_bytes; /* for threads, which have no live blocks: others
						    may free them */
	uint64_t temporary; /* 0 for sizes: not known */
	/* Since the previous look; 0: there was none. */
	int64_t growth; /* of live bytes; for threads, of requested bytes */
	double allocs_per_s, frees_per_s;
	uint32_t node;	   /* end of its heaviest chain */
	uint64_t heaviest; /* live bytes of that chain */
};

struct top_rows {
	struct top_row *v;
	size_t n, cap;
};

/**
 * The rows of a look, sorted.
 * @before  the previous look, for differences; NULL: none
 * Returns 0, and top_rows_release() must be called, or -ENOMEM.
 */
int top_rows(const struct top_look *now, const struct top_look *before, const struct top_how *how,
	     struct top_rows *out);

/* The whole chains that a row of top_rows() consists of, if it is not a thread: a row for each,
 * whose node is its end. Returns as above. */
int top_chains(const struct top_look *now, const struct top_look *before, const struct top_how *how,
	       const struct top_row *row, struct top_rows *out);
void top_rows_release(struct top_rows *r);

/* The frames of the chain that ends at @node, innermost first: "main (a.c:3)", each on a line. For
 * free(), or NULL: out of memory. */
char *top_chain_text(const struct profile_data *d, uint32_t node);

#endif
