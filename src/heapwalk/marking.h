/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_MARKING_H
#define MPROF_HEAPWALK_MARKING_H

#include "heapwalk/reachable.h"

/* What the files that search for reachable blocks share. */

/* What is known about a block so far. */
enum {
	SEEN_NOT,
	SEEN_POSSIBLE, /* it is pointed at only by blocks that may not be reachable themselves */
	SEEN_INSIDE,   /* a root, or a reachable block, points into it */
	SEEN_REACHABLE,
	SEEN_CLASS = 3,
	SEEN_REGULAR = 4, /* one of many with pointers to the same offset */
	SEEN_IDIOM = 4,	  /* the shift for the idiom by which it is reachable */
};

/* In @inner: there are pointers to several offsets, or to its start. */
#define INNER_SEVERAL UINT32_MAX

struct marking {
	const struct reach_asked *asked;
	struct spans blocks;	   /* a copy of @asked's, for its own position of the last search */
	struct still_reader words; /* for memory that is scanned */
	struct still_reader heads; /* for blocks that idioms examine */
	taddr low, high;	   /* the range of all blocks */
	uint8_t *seen;		   /* SEEN_..., of each block */
	uint32_t *inner;	   /* the offset that pointers into each have; 0: there are none */
	uint32_t *stack;	   /* blocks that are still to be scanned */
	size_t n_stack, cap_stack;
	uint32_t from; /* the block that is being scanned; SPANS_NONE: a root */
	bool definite; /* what is being scanned is reachable */
	int err;
};

/* idioms.c: is a pointer to @word, which is @offset bytes into a block, as good as one to its
 * start? */
enum reach_idiom idiom_of(struct marking *m, uint32_t block, uint64_t offset, taddr word);

/* Mark all blocks that are SEEN_REGULAR. 0 or -ENOMEM. */
int idioms_mark_regular(struct marking *m);

/* Count the reasons in the result. 0 or -ENOMEM. */
int idioms_count(const struct marking *m, struct reach *r);

/* cliques.c: the classes of blocks that have not been seen. 0 or -ENOMEM. */
int cliques_find(struct marking *m, struct reach *r);

#endif
