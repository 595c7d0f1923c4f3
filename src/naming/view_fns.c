/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are taken out of a profile: allocation functions, and whose requests are
 * ignored. */
#include "naming/view_fns.h"

#include "profile/pd_tree.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t function_at(const struct profile_data *d, uint32_t node)
{
	return names_function(d, d->nodes[node].site);
}

static const char *function_of(const struct profile_data *d, uint32_t node)
{
	return names_text(d, function_at(d, node));
}

/* Without the allocation functions that it ends in. */
static uint32_t without_alloc_fns(const struct profile_data *d, uint32_t node, name_list more)
{
	while (node >= PD_FIRST_NODE && is_allocation_function(function_of(d, node), more))
		node = d->nodes[node].parent;
	return node;
}

/* Only the innermost function is looked at: what a report calls it, and if that is no name, the
 * first one that has one. */
static bool is_ignored(const struct profile_data *d, uint32_t node, name_list ignored)
{
	if (node >= PD_FIRST_NODE && is_in_names(function_of(d, node), ignored))
		return true;
	while (node >= PD_FIRST_NODE && names_nothing_names(d, function_at(d, node)))
		node = d->nodes[node].parent;
	return node >= PD_FIRST_NODE && is_in_names(function_of(d, node), ignored);
}

static void subtract(struct profile_data *d, const struct pd_leaf *l)
{
	struct pd_totals *t = &d->totals;

	struct pd_left_out *out = &d->left_out;

	d->is_part = true;
	out->allocs += l->allocs;
	out->bytes += l->allocs * l->size;
	out->frees += l->frees;
	out->freed_bytes += l->frees * l->size;
	out->peak_blocks += l->at_peak;
	out->peak_bytes += l->at_peak * l->size;
	d->reach.ignored += l->reach[PD_LOST] + l->reach[PD_LOST_THROUGH];
	t->allocs -= l->allocs;
	t->alloc_bytes -= l->allocs * l->size;
	t->frees -= l->frees;
	t->free_bytes -= l->frees * l->size;
}

/* Where what is requested at @node counts. PD_NONE: nowhere, it is ignored. */
static uint32_t counted_at(const struct profile_data *d, uint32_t node, name_list alloc_fns,
			   name_list ignored)
{
	uint32_t at = without_alloc_fns(d, node, alloc_fns);

	/* What is known by itself must not make a request vanish. */
	if (at < PD_FIRST_NODE && !(alloc_fns && *alloc_fns))
		at = node;
	/* A chain with nothing left in it is ignored too, but not one that had nothing. */
	if ((at < PD_FIRST_NODE && at != node) || is_ignored(d, at, ignored))
		return PD_NONE;
	return at;
}

/* Take the nodes out that no chain goes through any more. @to: room for each node's number. */
static void drop_unused_nodes(struct profile_data *d, bool *used, uint32_t *to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->n_nodes; i++) {
		struct pd_node node = d->nodes[i];

		to[i] = used[i] ? n : to[node.parent];
		if (!used[i]) {
			d->nodes[to[i]].resumed += node.resumed;
			continue;
		}
		if (node.parent != PD_NONE)
			node.parent = to[node.parent];
		d->nodes[n++] = node;
	}
	d->n_nodes = n;
	pd_tree_move_counts(d, to);
}

/* Which nodes a chain goes through at whose end something is counted. */
static void mark_used(const struct profile_data *d, bool *used)
{
	for (uint32_t i = 0; i < PD_FIRST_NODE; i++)
		used[i] = true;
	for (size_t i = 0; i < d->n_leaves; i++)
		used[d->leaves[i].node] = true;
	for (size_t i = 0; i < d->n_lifetimes; i++)
		used[d->lifetimes[i].node] = true;
	for (size_t i = d->n_nodes; i-- > PD_FIRST_NODE;)
		used[d->nodes[i].parent] |= used[i];
}

int view_drop_functions(struct profile_data *d, name_list alloc_fns, name_list ignored)
{
	uint32_t *to = calloc(d->n_nodes, sizeof *to);
	bool *used = calloc(d->n_nodes, sizeof *used), changed = false;
	int err = to && used ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < d->n_nodes; i++) {
		to[i] = counted_at(d, i, alloc_fns, ignored);
		changed |= to[i] != i;
	}
	if (!err && changed) {
		for (size_t i = 0; i < d->n_leaves; i++)
			if (to[d->leaves[i].node] == PD_NONE)
				subtract(d, &d->leaves[i]);
		pd_tree_move_counts(d, to);
		mark_used(d, used);
		drop_unused_nodes(d, used, to);
	}
	free(to);
	free(used);
	return err;
}
