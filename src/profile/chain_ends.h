/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_CHAIN_ENDS_H
#define MPROF_PROFILE_CHAIN_ENDS_H

#include "base/idindex.h"

/*
 * The chains of a profile by their innermost places: those that have CHAIN_END of them in common
 * have the same end. There are fewer of these than of chains, and an end is long enough to tell
 * which function of the program's own code is in it, whatever libraries and wrappers stand before
 * that; which, only names tell.
 */
#define CHAIN_END 12u

struct profile;

struct chain_ends {
	uint32_t *of; /* by site of windows.h: the number of its end */
	size_t n_of, cap_of;
	uint32_t *nodes; /* of each end, a chain that has it */
	size_t n, cap;
	struct idindex index;
};

void chain_ends_release(struct chain_ends *e);

/* The ends of all sites that @p has by now. 0, or -ENOMEM: of those there is room for. */
int chain_ends_update(struct chain_ends *e, const struct profile *p);

#endif
