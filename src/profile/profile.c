/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile as a whole: begun, copied for a fork, begun anew, measured. */
#include "profile/profile.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_roots(struct profile *p)
{
	p->walked_root = p->last = PD_NONE;
	p->epoch = 1;
	windows_init(&p->windows, 0);
	series_init(&p->series, 0);
	for (unsigned i = 0; i < PD_FIRST_NODE; i++) {
		if (ARRAY_RESERVE(&p->nodes, &p->cap_nodes, p->n_nodes))
			return -ENOMEM;
		p->nodes[p->n_nodes++] = (struct call_node){ .parent = PD_NONE, .frame = PD_NONE };
	}
	return 0;
}

struct profile *profile_new(void)
{
	struct profile *p = calloc(1, sizeof *p);

	if (p && add_roots(p)) {
		profile_free(p);
		return NULL;
	}
	return p;
}

/* Copies @n elements; *to is NULL if there are none. */
static int copy_array(void *to, const void *from, size_t n, size_t size)
{
	void *copy = n ? malloc(n * size) : NULL;

	if (n && !copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, from, n * size);
	memcpy(to, &copy, sizeof copy);
	return 0;
}

static void forget_counts(struct profile *p)
{
	for (size_t i = 0; i < p->n_nodes; i++)
		p->nodes[i].resumed = 0;
	for (size_t i = 0; i < p->n_leaves; i++)
		p->leaves[i] = (struct call_leaf){ .node = p->leaves[i].node,
						   .size = p->leaves[i].size,
						   .site = p->leaves[i].site,
						   .label = p->leaves[i].label };
	p->epoch = 1;
}

void profile_restart(struct profile *p)
{
	forget_counts(p);
	live_release(&p->live);
	marks_release(&p->marks);
	before_restart(&p->before);
	lifetimes_release(&p->lifetimes);
	windows_restart(&p->windows);
	series_restart(&p->series);
	p->n_taken = p->n_walked = 0;
	p->walked_root = p->last = PD_NONE;
	p->totals = (struct pd_totals){ 0 };
	p->load = (struct pd_load){ 0 };
	p->live_bytes = 0;
	p->had_pause = false;
	profile_spare(p, &p->spared);
}

static int copy_tree(struct profile *p, const struct profile *from)
{
	if (copy_array(&p->places, from->places, from->n_places, sizeof *p->places) ||
	    copy_array(&p->nodes, from->nodes, from->n_nodes, sizeof *p->nodes) ||
	    copy_array(&p->leaves, from->leaves, from->n_leaves, sizeof *p->leaves) ||
	    idindex_copy(&p->place_index, &from->place_index) ||
	    idindex_copy(&p->node_index, &from->node_index) ||
	    idindex_copy(&p->leaf_index, &from->leaf_index) ||
	    windows_copy(&p->windows, &from->windows))
		return -ENOMEM;
	p->n_places = p->cap_places = from->n_places;
	p->n_nodes = p->cap_nodes = from->n_nodes;
	p->n_leaves = p->cap_leaves = from->n_leaves;
	forget_counts(p);
	return 0;
}

/* Blocks that reallocs of other threads hold are in the copy of the memory, too; unless their
 * addresses have been handed out again before the end of the realloc was reported. */
static int inherit_taken(struct profile *p, const struct profile *parent)
{
	for (size_t i = 0; i < parent->n_taken; i++) {
		struct live_slot block = parent->taken[i].block, was;

		block.leaf = (block.leaf & ~LIVE_REACHED) | LEAF_INHERITED;
		if (parent->taken[i].known && !live_knows(&p->live, block.ptr) &&
		    live_put(&p->live, &block, &was) < 0)
			return -ENOMEM;
	}
	return 0;
}

struct profile *profile_fork(const struct profile *parent)
{
	struct profile *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->walked_root = p->last = PD_NONE;
	p->seen_since_ns = parent->seen_since_ns;
	p->had_pause = parent->had_pause;
	series_init(&p->series, parent->series.max);
	if (!copy_tree(p, parent) && !live_copy(&p->live, &parent->live, LEAF_INHERITED) &&
	    !inherit_taken(p, parent) && !before_fork(&p->before, &parent->before)) {
		profile_spare(p, &parent->spared);
		return p;
	}
	profile_free(p);
	return NULL;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	free(p->places);
	idindex_release(&p->place_index);
	free(p->nodes);
	idindex_release(&p->node_index);
	free(p->leaves);
	idindex_release(&p->leaf_index);
	live_release(&p->live);
	before_release(&p->before);
	marks_release(&p->marks);
	mark_counts_release(&p->kept_marks);
	lifetimes_release(&p->lifetimes);
	windows_release(&p->windows);
	kept_windows_release(&p->kept_windows);
	series_release(&p->series);
	kept_series_release(&p->kept_series);
	free(p->taken);
	free(p->walked);
	free(p);
}

void profile_set_before(struct profile *p, struct before *b)
{
	before_release(&p->before);
	p->before = *b;
	*b = (struct before){ 0 };
}

bool profile_knows(const struct profile *p, taddr key)
{
	return live_knows(&p->live, key) || before_has(&p->before, key);
}

void profile_set_shortest_window(struct profile *p, uint64_t ns)
{
	p->windows.shortest_ns = ns;
}

struct pd_memory profile_memory(const struct profile *p)
{
	if (p->finished)
		return p->memory;
	return (struct pd_memory){
		.paths = p->cap_walked * sizeof *p->walked,
		.functions = p->cap_places * sizeof *p->places + idindex_memory(&p->place_index),
		.counters = p->cap_leaves * sizeof *p->leaves + idindex_memory(&p->leaf_index) +
			    live_memory(&p->live) + before_memory(&p->before) +
			    marks_memory(&p->marks) +
			    lifetimes_memory(&p->lifetimes),
		.links = p->cap_nodes * sizeof *p->nodes + idindex_memory(&p->node_index),
	};
}
