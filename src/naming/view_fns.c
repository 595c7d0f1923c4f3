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

static void subtract(struct pd_totals *t, const struct pd_leaf *l)
{
	t->allocs -= l->allocs;
	t->alloc_bytes -= l->allocs * l->size;
	t->frees -= l->frees;
	t->free_bytes -= l->frees * l->size;
}

/* Give each leaf its new node, drop those that are ignored. True: something has changed. */
static bool move_leaves(struct profile_data *d, name_list alloc_fns, name_list ignored)
{
	bool changed = false;
	size_t kept = 0;

	for (size_t i = 0; i < d->n_leaves; i++) {
		struct pd_leaf l = d->leaves[i];
		uint32_t node = without_alloc_fns(d, l.node, alloc_fns);

		/* What is known by itself must not make a request vanish. */
		if (node < PD_FIRST_NODE && !(alloc_fns && *alloc_fns))
			node = l.node;
		/* A chain with nothing left in it is ignored too, but not one that had nothing. */
		bool gone = (node < PD_FIRST_NODE && node != l.node) ||
			    is_ignored(d, node, ignored);

		changed |= gone || node != l.node;
		l.node = node;
		if (gone)
			subtract(&d->totals, &l);
		else
			d->leaves[kept++] = l;
	}
	d->n_leaves = kept;
	return changed;
}

/* Take out the nodes that no chain goes through any more. */
static int drop_unused_nodes(struct profile_data *d)
{
	bool *used = calloc(d->n_nodes, sizeof *used);
	uint32_t *to = calloc(d->n_nodes, sizeof *to), n = 0;

	if (!used || !to) {
		free(used);
		free(to);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < PD_FIRST_NODE; i++)
		used[i] = true;
	for (size_t i = 0; i < d->n_leaves; i++)
		for (uint32_t node = d->leaves[i].node; !used[node]; node = d->nodes[node].parent)
			used[node] = true;
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
	for (size_t i = 0; i < d->n_leaves; i++)
		d->leaves[i].node = to[d->leaves[i].node];
	free(used);
	free(to);
	return 0;
}

int view_drop_functions(struct profile_data *d, name_list alloc_fns, name_list ignored)
{
	if (!move_leaves(d, alloc_fns, ignored))
		return 0;
	int err = drop_unused_nodes(d);

	if (!err)
		pd_tree_merge_leaves(d);
	return err;
}
