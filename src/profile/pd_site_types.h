/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_SITE_TYPES_H
#define MPROF_PROFILE_PD_SITE_TYPES_H

#include "profile/profile_data.h"

/* The types at call sites of a profile. */

/* The types of node i become those of node @to[i], as in pd_tree_move_counts(). To be called while
 * leaves still have their old nodes. */
void pd_site_types_move(struct profile_data *d, const uint32_t *to);

/* Sorts them, and joins duplicates. To be called after some were added. */
void pd_site_types_sort(struct profile_data *d);

/* Drops and frees all of them. */
void pd_site_types_drop(struct profile_data *d);

/* The index of the first one whose node is >= @node; n_site_types: none. */
size_t pd_site_types_from(const struct profile_data *d, uint32_t node);

/* Does @node have a type? */
bool pd_site_types_has(const struct profile_data *d, uint32_t node);

/* What is known of several nodes together. */
struct pd_types_seen {
	const struct pd_site_type *
		*v; /* sorted by name, each once; they belong to the profile */
	size_t n, cap;
	uint8_t how;  /* the strongest evidence for any */
	bool certain; /* they are of one type, and each node's is certain */
	bool any;     /* false: no node was added yet */
};

/* Add the types of a node. 0 or -ENOMEM. */
int pd_types_seen_add(struct pd_types_seen *s, const struct profile_data *d, uint32_t node);
/* "A | B", for free(); "" if none is known. NULL: out of memory. */
char *pd_types_seen_text(const struct pd_types_seen *s);
void pd_types_seen_release(struct pd_types_seen *s);

#endif
