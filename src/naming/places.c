/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/places.h"

#include <errno.h>
#include <stdlib.h>

int places_profile(struct profile *p, const struct profile_place *places, size_t n)
{
	*p = (struct profile){
		.places = calloc(n + 1, sizeof *p->places),
		.nodes = calloc(n + PD_FIRST_NODE, sizeof *p->nodes),
		.leaves = calloc(n + 1, sizeof *p->leaves),
	};
	if (!p->places || !p->nodes || !p->leaves)
		return -ENOMEM;
	for (uint32_t i = 0; i < PD_FIRST_NODE; i++)
		p->nodes[i] = (struct call_node){ .parent = PD_NONE, .frame = PD_NONE };
	for (uint32_t i = 0; i < n; i++) {
		p->places[i] = places[i];
		p->nodes[PD_FIRST_NODE + i] =
			(struct call_node){ .parent = PD_ROOT_WHOLE, .frame = i };
		p->leaves[i] = (struct call_leaf){ .size = 1, .allocs = 1, .frees = 1,
						   .node = PD_FIRST_NODE + i };
	}
	p->n_places = n;
	p->n_nodes = PD_FIRST_NODE + n;
	p->n_leaves = n;
	p->totals = (struct pd_totals){ .allocs = n, .alloc_bytes = n, .frees = n,
					.free_bytes = n };
	p->finished = true;
	return 0;
}

void places_profile_release(struct profile *p)
{
	free(p->places);
	free(p->nodes);
	free(p->leaves);
}
