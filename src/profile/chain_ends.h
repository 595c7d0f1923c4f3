/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_CHAIN_ENDS_H
#define MPROF_PROFILE_CHAIN_ENDS_H

#include "base/idindex.h"

/*
 * The chains of a profile, grouped by their innermost CHAIN_END places: chains that share these
 * have the same end. There are fewer ends than chains, and an end is long enough to contain the
 * program's own function behind any libraries and wrappers. Which one that is can only be told once
 * names are known.
 */
#define CHAIN_END 12u

struct profile;

struct chain_ends {
	uint32_t *of; /* by site number of windows.h: the number of its end */
	size_t n_of, cap_of;
	uint32_t *nodes; /* by end: the node of one chain that has it */
	size_t n, cap;
	struct idindex index;
};

void chain_ends_release(struct chain_ends *e);

/* Adds the ends of the sites that @p has by now. 0, or -ENOMEM: some are missing. */
int chain_ends_update(struct chain_ends *e, const struct profile *p);

#endif
