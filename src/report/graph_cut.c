/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/graph_cut.h"

static bool is_below(const struct graph *g, uint64_t bytes)
{
	return (unsigned __int128)bytes * 100 <= sums_total(g->total.bytes);
}

static bool is_part_below(const struct graph *g, const struct graph_part *p)
{
	return is_below(g, sums_total(p->own.bytes) + sums_total(p->out.bytes));
}

struct graph_cut graph_cut_find(const struct graph *g, enum report_level level)
{
	struct graph_cut c = { .g = g };

	/* No share of zero bytes is small. */
	if (level != REPORT_TERSE || !sums_total(g->total.bytes))
		return (struct graph_cut){ 0 };
	for (size_t i = 0; i < g->n_parts; i++) {
		if (!is_part_below(g, &g->parts[i]))
			continue;
		c.functions += g->parts[i].n;
		c.own += sums_total(g->parts[i].own.bytes);
	}
	return c.functions < GRAPH_CUT_LEAST ? (struct graph_cut){ 0 } : c;
}

bool graph_cut_has_entry(const struct graph_cut *c, const struct graph_entry *e)
{
	return c->g && is_part_below(c->g, &c->g->parts[e->part]);
}

/* An arc to a function without an entry is below the limit, too. Arcs within a cycle have only
 * calls, no bytes. */
bool graph_cut_has_relative(const struct graph_cut *c, const struct graph_relative *r)
{
	return c->g && !r->fellow && is_below(c->g, sums_total(r->over.bytes));
}
