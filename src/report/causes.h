/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_CAUSES_H
#define MPROF_REPORT_CAUSES_H

#include "profile/profile_data.h"

#include <stdbool.h>

/*
 * Who is the cause of what is kept: the nearest line of own code, or, where that is called by some
 * who keep what it makes and by others who free it, those callers. The page decides by the same
 * rule (web/src/data/culprits.ts): who changes one changes the other.
 */
struct cause {
	uint32_t node;	/* at which something is requested */
	uint32_t at;	/* the node of its chain that is the cause; without own code, node itself */
	uint32_t group; /* of the same cause; they begin at 0 */
	bool outwards;	/* it is not the nearest line of own code, which only passes it on */
};

struct causes {
	struct cause *v; /* in the order of the leaves, one for all of a node */
	size_t n, groups;
};

/* @own: from own_code_nodes(). 0 or -ENOMEM; then there is nothing to release. */
int causes_find(const struct profile_data *d, const uint32_t *own, struct causes *out);
void causes_release(struct causes *c);

#endif
