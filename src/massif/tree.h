/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_TREE_H
#define MPROF_MASSIF_TREE_H

#include "base/idindex.h"
#include "massif/entry.h"

#include <stddef.h>

/*
 * All contexts of a run merged into one tree, from the allocating function outwards. To get a
 * snapshot's tree, weigh the nodes with its bytes.
 */
#define MASSIF_TOP 0u

struct massif_node {
	uint32_t parent, entry;	/* both IDINDEX_NONE for the top node */
};

struct massif_tree {
	const struct massif_entry *entries;	/* owned by the caller */
	struct massif_node *nodes;	/* parents come before their children */
	size_t n, cap;
	struct idindex index;
};

/* 0 or -ENOMEM. */
int massif_tree_init(struct massif_tree *t, const struct massif_entry *entries);
void massif_tree_release(struct massif_tree *t);

/* Add a context with the elements @ids, innermost first. Returns the node where it ends;
 * IDINDEX_NONE: out of memory. */
uint32_t massif_tree_add(struct massif_tree *t, const uint32_t *ids, size_t n);

/* The bytes of a snapshot, for each node of the tree. */
struct massif_weight {
	uint64_t bytes;
	bool known;	/* a context that ends at or below it existed at that time */
};

/* Called for each line of the printed tree, in depth-first order. */
typedef void massif_emit(void *ctx, unsigned depth, size_t n_children, uint64_t bytes,
			 const char *text);

/* Which groups of a snapshot's tree are aggregated. */
struct massif_cut {
	uint64_t total, useful;	/* bytes of the snapshot */
	double threshold;	/* per cent of the total */
	const char *top;	/* text of the top node */
};

/**
 * Print the tree with one snapshot's bytes. Groups below the threshold are replaced by one line.
 * @w  for each node, the bytes of the contexts that end there; modified
 * Returns 0 or -ENOMEM.
 */
int massif_tree_emit(const struct massif_tree *t, struct massif_weight *w,
		     const struct massif_cut *cut, massif_emit *emit, void *ctx);

#endif
