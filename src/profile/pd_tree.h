/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_TREE_H
#define MPROF_PROFILE_PD_TREE_H

#include "base/idindex.h"
#include "profile/profile_data.h"

/* The tree of a profile while it is being put together: each child once. Zeroed but for @d. */
struct pd_tree {
	struct profile_data *d;	/* has its two roots */
	size_t cap;
	struct idindex index;
};

/* The child of node @parent with this site, made if need be. IDINDEX_NONE: out of memory. */
uint32_t pd_tree_child(struct pd_tree *t, uint32_t parent, uint32_t site);
void pd_tree_release(struct pd_tree *t);

/* Sort the leaves, and make one of those that have the same node, size and label. */
void pd_tree_merge_leaves(struct profile_data *d);

/* The same for the lifetimes. */
void pd_tree_merge_lifetimes(struct profile_data *d);

/* What was counted at node i, of whatever kind, is counted at node @to[i] from now on; PD_NONE: it
 * is dropped. What falls together is added up. Whoever gives nodes other numbers calls this. */
void pd_tree_move_counts(struct profile_data *d, const uint32_t *to);

#endif
