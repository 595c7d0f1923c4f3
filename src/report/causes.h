/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_CAUSES_H
#define MPROF_REPORT_CAUSES_H

#include "profile/profile_data.h"

#include <stdbool.h>

/*
 * The cause of kept blocks: the nearest line of own code, or, if some of its callers keep what it
 * makes and others free it, those callers. The page uses the same rule
 * (web/src/data/culprits.ts): change both together.
 */
struct cause {
	uint32_t node;	/* the node of the requests */
	uint32_t at;	/* the node of its chain that is the cause; without own code, node itself */
	uint32_t group; /* the same for all nodes with this cause; from 0 on */
	bool outwards;	/* it is farther out than the nearest line of own code */
};

struct causes {
	struct cause *v; /* one for each node with leaves, in the order of leaves */
	size_t n, groups;
};

/* @own: from own_code_nodes(). 0, or -ENOMEM: then there is nothing to release. */
int causes_find(const struct profile_data *d, const uint32_t *own, struct causes *out);
void causes_release(struct causes *c);

#endif
