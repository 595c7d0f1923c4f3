/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/pd_tree.h"

#include "base/array.h"
#include "profile/pd_site_types.h"
#include "profile/pd_windows.h"

#include <stdlib.h>

static bool node_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pd_node *a = &((const struct pd_tree *)owner)->d->nodes[id], *b = key;

	return a->parent == b->parent && a->site == b->site;
}

static uint64_t node_hash(const struct pd_node *n)
{
	return hash_mix((uint64_t)n->parent << 32 | n->site);
}

static uint64_t node_rehash(const void *owner, uint32_t id)
{
	return node_hash(&((const struct pd_tree *)owner)->d->nodes[id]);
}

uint32_t pd_tree_child(struct pd_tree *t, uint32_t parent, uint32_t site)
{
	struct pd_node key = { .parent = parent, .site = site };
	uint64_t hash = node_hash(&key);
	uint32_t id = idindex_find(&t->index, hash, node_eq, t, &key);

	if (id != IDINDEX_NONE)
		return id;
	if (t->cap < t->d->n_nodes)
		t->cap = t->d->n_nodes;	/* the roots */
	id = (uint32_t)t->d->n_nodes;
	if (ARRAY_RESERVE(&t->d->nodes, &t->cap, t->d->n_nodes))
		return IDINDEX_NONE;
	t->d->nodes[t->d->n_nodes++] = key;
	return idindex_add(&t->index, id, hash, node_rehash, t) ? IDINDEX_NONE : id;
}

void pd_tree_release(struct pd_tree *t)
{
	idindex_release(&t->index);
}

static int compare_leaves(const void *a, const void *b)
{
	const struct pd_leaf *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->label < y->label ? -1 : x->label > y->label;
}

void pd_tree_merge_leaves(struct profile_data *d)
{
	size_t kept = 0;

	if (d->n_leaves)
		qsort(d->leaves, d->n_leaves, sizeof *d->leaves, compare_leaves);
	for (size_t i = 0; i < d->n_leaves; i++) {
		if (kept && !compare_leaves(&d->leaves[kept - 1], &d->leaves[i])) {
			d->leaves[kept - 1].allocs += d->leaves[i].allocs;
			d->leaves[kept - 1].frees += d->leaves[i].frees;
			d->leaves[kept - 1].at_peak += d->leaves[i].at_peak;
			for (int k = 0; k < PD_REACH_CLASSES; k++)
				d->leaves[kept - 1].reach[k] += d->leaves[i].reach[k];
			d->leaves[kept - 1].hanging.blocks += d->leaves[i].hanging.blocks;
			d->leaves[kept - 1].hanging.bytes += d->leaves[i].hanging.bytes;
		} else {
			d->leaves[kept++] = d->leaves[i];
		}
	}
	d->n_leaves = kept;
}

static int compare_lifetimes(const void *a, const void *b)
{
	const struct pd_lifetime *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->axis != y->axis ? x->axis - y->axis : x->bucket - y->bucket;
}

void pd_tree_merge_lifetimes(struct profile_data *d)
{
	size_t kept = 0;

	if (d->n_lifetimes)
		qsort(d->lifetimes, d->n_lifetimes, sizeof *d->lifetimes, compare_lifetimes);
	for (size_t i = 0; i < d->n_lifetimes; i++) {
		if (kept && !compare_lifetimes(&d->lifetimes[kept - 1], &d->lifetimes[i]))
			d->lifetimes[kept - 1].blocks += d->lifetimes[i].blocks;
		else
			d->lifetimes[kept++] = d->lifetimes[i];
	}
	d->n_lifetimes = kept;
}

void pd_tree_move_counts(struct profile_data *d, const uint32_t *to)
{
	size_t kept = 0;

	pd_site_types_move(d, to);
	for (size_t i = 0; i < d->n_leaves; i++) {
		d->leaves[kept] = d->leaves[i];
		d->leaves[kept].node = to[d->leaves[i].node];
		kept += d->leaves[kept].node != PD_NONE;
	}
	d->n_leaves = kept;
	kept = 0;
	for (size_t i = 0; i < d->n_lifetimes; i++) {
		d->lifetimes[kept] = d->lifetimes[i];
		d->lifetimes[kept].node = to[d->lifetimes[i].node];
		kept += d->lifetimes[kept].node != PD_NONE;
	}
	d->n_lifetimes = kept;
	pd_tree_merge_leaves(d);
	pd_tree_merge_lifetimes(d);
	pd_windows_move(d, to);
}
