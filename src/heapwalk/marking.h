/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_MARKING_H
#define MPROF_HEAPWALK_MARKING_H

#include "heapwalk/reachable.h"

/* What the files of the search for reachable blocks share. */

/* What is known of a block so far. */
enum {
	SEEN_NOT,
	SEEN_POSSIBLE, /* what points at it may itself not be reachable */
	SEEN_INSIDE,   /* a root, or a reachable block, points into it */
	SEEN_REACHABLE,
	SEEN_CLASS = 3,
	SEEN_REGULAR = 4, /* one of many that are pointed at in the same place */
	SEEN_IDIOM = 4,	  /* how far an idiom is shifted: why it is reachable */
};

/* In @inner: it is pointed at in several places, or at its start. */
#define INNER_SEVERAL UINT32_MAX

struct marking {
	const struct reach_asked *asked;
	struct spans blocks;	   /* of @asked: where one was found last is ours */
	struct still_reader words; /* what is looked through */
	struct still_reader heads; /* what idioms look at */
	taddr low, high;	   /* of all blocks */
	uint8_t *seen;		   /* SEEN_..., of each block */
	uint32_t *inner;	   /* where each is pointed at; 0: nowhere inside */
	uint32_t *stack;	   /* blocks that are to be looked through */
	size_t n_stack, cap_stack;
	uint32_t from; /* the block that is looked through; SPANS_NONE: a root */
	bool definite; /* what is looked through is reachable */
	int err;
};

/* idioms.c: is a pointer to @word, which is @offset bytes into a block, as good as one to its
 * start? */
enum reach_idiom idiom_of(struct marking *m, uint32_t block, uint64_t offset, taddr word);

/* Mark all blocks that are SEEN_REGULAR. 0 or -ENOMEM. */
int idioms_mark_regular(struct marking *m);

/* Count the reasons in the result. 0 or -ENOMEM. */
int idioms_count(const struct marking *m, struct reach *r);

/* cliques.c: the classes of what has not been seen. 0 or -ENOMEM. */
int cliques_find(struct marking *m, struct reach *r);

#endif
