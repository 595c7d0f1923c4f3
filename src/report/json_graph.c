/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/graph.h"
#include "base/jsontext.h"
#include "report/json.h"
#include "profile/pd_names.h"

#include <stdlib.h>

static json_t *name_of(const struct graph *g, uint32_t node)
{
	return json_text(names_text(g->d, g->nodes[node].function));
}

static json_t *relatives(const struct graph *g, const struct graph_relatives *r)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < r->n; i++) {
		const struct graph_relative *one = &r->items[i];
		json_t *row = json_pack("{so so so}",
					"function", name_of(g, one->node),
					"bytes", json_out_classes(g->d, one->over.bytes),
					"calls", json_out_num(one->over.calls));

		if (json_array_append_new(list, row)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *row_of(const struct graph *g, const struct graph_entry *e,
		      const struct graph_relatives *callers, const struct graph_relatives *callees)
{
	const struct graph_node *n = &g->nodes[e->node];
	uint32_t cycle = g->parts[e->part].cycle;
	uint64_t called = 0;

	for (size_t i = 0; i < callers->n; i++)
		called += callers->items[i].over.calls;
	return json_pack("{so so so so so so so so so}",
			 "index", json_out_num(n->index),
			 "function", name_of(g, e->node),
			 "cycle", cycle ? json_integer(cycle) : json_null(),
			 "self_bytes", json_out_classes(g->d, n->own.bytes),
			 "total_bytes", json_out_num(e->bytes),
			 "called", json_out_num(called),
			 "recursive", json_out_num(n->recursive),
			 "callers", relatives(g, callers),
			 "callees", relatives(g, callees));
}

static int write_rows(struct json_out *o, const struct graph *g)
{
	struct graph_relatives callers = { 0 }, callees = { 0 };
	int err = 0;

	for (size_t i = 0; i < g->n_entries && !err && !o->err; i++) {
		const struct graph_entry *e = &g->entries[i];

		if (e->node == GRAPH_WHOLE)
			continue;	/* the entries of its members say all there is of a cycle */
		err = graph_relatives(g, e, GRAPH_CALLERS, &callers);
		if (!err)
			err = graph_relatives(g, e, GRAPH_CALLEES, &callees);
		if (!err)
			json_out_row(o, row_of(g, e, &callers, &callees));
	}
	free(callers.items);
	free(callees.items);
	return err;
}

void json_graph(struct json_out *o, const struct profile_data *d, const uint32_t *rank)
{
	struct graph g;
	int err = graph_build(&g, d, rank);

	if (!err) {
		json_out_begin_rows(o, "callgraph");
		err = write_rows(o, &g);
		json_out_end_rows(o);
	}
	json_out_fail(o, err);
	graph_release(&g);
}
