/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_TREE_H
#define MPROF_PROFILE_PD_TREE_H

#include "base/idindex.h"
#include "profile/profile_data.h"

/* The call tree of @d while it is built, without duplicate children. All but @d begins as zero. */
struct pd_tree {
	struct profile_data *d;	/* has its two roots */
	size_t cap;
	struct idindex index;
};

/* The child of node @parent with this site, added if missing. IDINDEX_NONE: out of memory. */
uint32_t pd_tree_child(struct pd_tree *t, uint32_t parent, uint32_t site);
void pd_tree_release(struct pd_tree *t);

/* Sorts the leaves, and joins those of the same node, size and label. */
void pd_tree_merge_leaves(struct profile_data *d);

/* The same for the lifetimes. */
void pd_tree_merge_lifetimes(struct profile_data *d);

/* All counts of node i, of whatever kind, become those of node @to[i], added up where several nodes
 * become one; PD_NONE: they are dropped. Must be called by any code that renumbers nodes. */
void pd_tree_move_counts(struct profile_data *d, const uint32_t *to);

#endif
