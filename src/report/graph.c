/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/graph.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

int graph_build(struct graph *g, const struct profile_data *d, const uint32_t *rank)
{
	*g = (struct graph){ .d = d, .rank = rank };
	g->falling = names_falling(d, rank);
	int err = g->falling ? graph_find_edges(g) : -ENOMEM;

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
	free(g->in.first);
	free(g->in.edge);
	free(g->out.first);
	free(g->out.edge);
	free(g->falling);
	free(g->parts);
	free(g->members);
	free(g->entries);
	*g = (struct graph){ 0 };
}
