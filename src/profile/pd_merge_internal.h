/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_MERGE_INTERNAL_H
#define MPROF_PROFILE_PD_MERGE_INTERNAL_H

#include "profile/pd_tree.h"

#include <errno.h>

/* A sum while it is made. */
struct pd_merge {
	struct profile_data *d;
	uint64_t n; /* profiles in it, those of sums counted one by one */
	struct pd_tree tree;
	struct idindex functions, sites;
	size_t cap_modules, cap_functions, cap_sites;
	size_t cap_leaves, cap_lifetimes, cap_site_types, cap_types, cap_bins;
	char **programs; /* each once, NULL behind the last */
	/* Some profile does not tell of it: */
	bool no_reach, no_walk, no_before;
	bool highest; /* that which is being added has the highest peak so far */
};

/* By their numbers in a profile that is added: those in the sum. */
struct merge_maps {
	uint32_t *module, *function, *site, *node;
};

static inline int merge_sum(uint64_t *to, uint64_t from)
{
	return __builtin_add_overflow(*to, from, to) ? -EOVERFLOW : 0;
}

/* All that is counted. 0, -ENOMEM or -EOVERFLOW. */
int merge_counts(struct pd_merge *m, const struct profile_data *d, const struct merge_maps *to);

/* What is there more than once becomes one, and what is not of all is left out. */
int merge_finish_counts(struct pd_merge *m);

#endif
