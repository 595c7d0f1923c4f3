/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the tree of call sites from that of places. */
#include "base/array.h"
#include "naming/resolve_internal.h"

#include "profile/pd_windows.h"

#include <errno.h>
#include <stdlib.h>

/* The node for place @frame below @parent: one level deeper for each function at the place. */
static uint32_t descend(struct resolver *r, uint32_t parent, uint32_t frame)
{
	const struct place_sites *ps = &r->places[frame];

	for (uint32_t i = 0; parent != IDINDEX_NONE && i < ps->n; i++)
		parent = pd_tree_child(&r->tree, parent, r->run[ps->first + i]);
	return parent;
}

static uint8_t start_depth(const struct resolver *r, const uint8_t *depth,
			   const struct call_node *n, uint32_t id)
{
	if (id < PD_FIRST_NODE)
		return 0;
	if (depth[n->parent] == NOT_START)
		return NOT_START;
	return start_code_at(r->places[n->frame].start, depth[n->parent],
			     n->parent != PD_ROOT_TRUNCATED)
		       ? (uint8_t)(depth[n->parent] + 1)
		       : NOT_START;
}

static int resolve_nodes(struct resolver *r, uint32_t *to, uint8_t *depth)
{
	for (uint32_t i = 0; i < r->p->n_nodes; i++) {
		const struct call_node *n = &r->p->nodes[i];

		if (!r->node_used[i])
			continue;
		depth[i] = start_depth(r, depth, n, i);
		if (i < PD_FIRST_NODE)
			to[i] = i;
		else if (depth[i] != NOT_START)
			to[i] = to[n->parent];
		else
			to[i] = descend(r, to[n->parent], n->frame);
		if (to[i] == IDINDEX_NONE)
			return -ENOMEM;
		r->out->nodes[to[i]].resumed += n->resumed;
	}
	return 0;
}

/* The node at which what was counted at node @id counts. IDINDEX_NONE: out of memory. */
static uint32_t counted_at(struct resolver *r, const uint32_t *to, const uint8_t *depth,
			   uint32_t id)
{
	/* Start code that allocates is not trimmed for that request. */
	if (id >= PD_FIRST_NODE && depth[id] != NOT_START)
		return descend(r, to[id], r->p->nodes[id].frame);
	return to[id];
}

/* Takes over the marks of leaf @i; marks are sorted by leaf. */
static void take_marks(const struct mark_counts *m, size_t *at, size_t i, struct pd_leaf *leaf)
{
	for (; *at < m->n && m->v[*at].leaf == i; ++*at) {
		leaf->reach[m->v[*at].class] = m->v[*at].blocks;
		if (m->v[*at].class == PD_LOST)
			leaf->hanging = m->v[*at].hanging;
	}
}

static int resolve_counts(struct resolver *r, const uint32_t *to, const uint8_t *depth,
			  const struct mark_counts *marks)
{
	struct profile_data *d = r->out;
	size_t mark = 0;

	d->leaves = calloc(r->p->n_leaves + 1, sizeof *d->leaves);
	if (!d->leaves)
		return -ENOMEM;
	for (size_t i = 0; i < r->p->n_leaves; i++) {
		const struct call_leaf *l = &r->p->leaves[i];

		if (r->how->leaf_nodes)
			r->how->leaf_nodes[i] = PD_NONE;
		if (!l->allocs)
			continue;
		uint32_t node = counted_at(r, to, depth, l->node);
		if (node == IDINDEX_NONE)
			return -ENOMEM;
		if (r->how->leaf_nodes)
			r->how->leaf_nodes[i] = node;
		struct pd_leaf *leaf = &d->leaves[d->n_leaves++];
		*leaf = (struct pd_leaf){
			node, l->size, l->allocs, l->frees, profile_leaf_at_peak(r->p, l), l->label,
			{ 0 }, { 0 }
		};
		take_marks(marks, &mark, i, leaf);
		d->labelled |= l->label != 0;
	}
	pd_tree_merge_leaves(d);
	return 0;
}

static int resolve_leaves(struct resolver *r, const uint32_t *to, const uint8_t *depth)
{
	struct mark_counts marks;
	int err = profile_list_marks(r->p, &marks);

	r->out->reach = marks.reach;
	if (!err)
		err = resolve_counts(r, to, depth, &marks);
	mark_counts_release(&marks);
	return err;
}

static int resolve_lifetimes(struct resolver *r, const uint32_t *to, const uint8_t *depth)
{
	struct lifecounts_cursor at = { 0 };
	struct profile_data *d = r->out;
	struct pd_lifetime l;
	size_t cap = 0;

	if (ARRAY_RESERVE(&d->lifetimes, &cap, 0))
		return -ENOMEM;
	while (lifecounts_next(&r->p->lifetimes.counts, &at, &l)) {
		l.node = counted_at(r, to, depth, l.node);
		if (l.node == IDINDEX_NONE ||
		    ARRAY_RESERVE(&d->lifetimes, &cap, d->n_lifetimes))
			return -ENOMEM;
		d->lifetimes[d->n_lifetimes++] = l;
	}
	pd_tree_merge_lifetimes(d);
	return 0;
}

static int resolve_windows(struct resolver *r, uint32_t *to, const uint8_t *depth)
{
	struct profile_data *d = r->out;
	struct kept_windows k;
	int err = profile_list_windows(r->p, &k);

	if (err)
		return err;
	d->window_ns = k.window_ns;
	d->windows_over = k.over;
	d->windows = k.v;
	d->n_windows = k.n;
	d->survivors = k.survivors;
	d->n_survivors = k.n_survivors;
	/* Survivors are only of nodes with windows, and windows are sorted by node. */
	for (size_t i = 0; i < k.n; i++) {
		uint32_t node = k.v[i].node;

		if (i && k.v[i - 1].node == node)
			continue;
		to[node] = counted_at(r, to, depth, node);
		if (to[node] == IDINDEX_NONE)
			return -ENOMEM;
	}
	pd_windows_move(d, to);
	return 0;
}

int resolve_tree(struct resolver *r)
{
	uint32_t *to = calloc(r->p->n_nodes, sizeof *to);
	uint8_t *depth = r->start_depth = calloc(r->p->n_nodes, sizeof *depth);
	int err = to && depth ? before_data(&r->p->before, &r->out->before) : -ENOMEM;

	if (!err)
		err = resolve_nodes(r, to, depth);
	if (!err)
		err = resolve_leaves(r, to, depth);
	if (!err && !r->how->no_types)
		err = resolve_site_types(r, to);
	if (!err)
		err = resolve_lifetimes(r, to, depth);
	if (!err)
		err = resolve_windows(r, to, depth);	/* last, as it changes @to */
	pd_tree_release(&r->tree);
	free(to);
	return err;
}
