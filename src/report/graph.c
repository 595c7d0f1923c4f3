/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/graph.h"

#include <stdlib.h>

int graph_build(struct graph *g, const struct profile_data *d, const uint32_t *rank)
{
	*g = (struct graph){ .d = d, .rank = rank };
	int err = graph_find_edges(g);

	if (!err)
		err = graph_find_parts(g);
	if (!err)
		err = graph_find_order(g);
	return err;
}

void graph_release(struct graph *g)
{
	free(g->nodes);
	free(g->edges);
	free(g->out_first);
	free(g->into);
	free(g->in_first);
	free(g->parts);
	free(g->members);
	free(g->entries);
	*g = (struct graph){ 0 };
}
