/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_MERGE_INTERNAL_H
#define MPROF_PROFILE_PD_MERGE_INTERNAL_H

#include "profile/pd_tree.h"

#include <errno.h>

/* A sum that is being made. */
struct pd_merge {
	struct profile_data *d;
	uint64_t n; /* profiles in it, those of sums counted one by one */
	struct pd_tree tree;
	struct idindex functions, sites;
	size_t cap_modules, cap_functions, cap_sites;
	size_t cap_leaves, cap_lifetimes, cap_site_types, cap_types, cap_bins;
	char **programs; /* each once, NULL behind the last */
	/* Some profile does not have it: */
	bool no_reach, no_walk, no_before;
	bool highest; /* the profile that is being added has the highest peak so far */
};

/* By number in the profile that is being added: the number in the sum. */
struct merge_maps {
	uint32_t *module, *function, *site, *node;
};

static inline int merge_sum(uint64_t *to, uint64_t from)
{
	return __builtin_add_overflow(*to, from, to) ? -EOVERFLOW : 0;
}

/* Add all counts. 0, -ENOMEM or -EOVERFLOW. */
int merge_counts(struct pd_merge *m, const struct profile_data *d, const struct merge_maps *to);

/* Joins duplicates, and removes what not every profile has. */
int merge_finish_counts(struct pd_merge *m);

#endif
