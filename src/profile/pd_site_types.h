/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_SITE_TYPES_H
#define MPROF_PROFILE_PD_SITE_TYPES_H

#include "profile/profile_data.h"

/* The types at call sites of a profile. */

/* What was said of node i is said of node @to[i], as in pd_tree_move_counts(), and while the leaves
 * are still those of the nodes before. */
void pd_site_types_move(struct profile_data *d, const uint32_t *to);

/* Put them in order, after some were added. */
void pd_site_types_sort(struct profile_data *d);

/* Forget all of them. */
void pd_site_types_drop(struct profile_data *d);

/* The first that is of @node or one behind it; n_site_types: none. */
size_t pd_site_types_from(const struct profile_data *d, uint32_t node);

/* Is anything known of @node? */
bool pd_site_types_has(const struct profile_data *d, uint32_t node);

/* What is known of several nodes together. */
struct pd_types_seen {
	const struct pd_site_type *
		*v; /* by name, each once; of no node that is said more than once */
	size_t n, cap;
	uint8_t how;  /* the strongest evidence for any */
	bool certain; /* they are of one type, and each node's is certain */
	bool any;     /* false: no node was looked at yet */
};

/* Add those of a node. 0 or -ENOMEM. */
int pd_types_seen_add(struct pd_types_seen *s, const struct profile_data *d, uint32_t node);
/* "A | B", for free(); "" if none is known. NULL: out of memory. */
char *pd_types_seen_text(const struct pd_types_seen *s);
void pd_types_seen_release(struct pd_types_seen *s);

#endif
