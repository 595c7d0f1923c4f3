/* SPDX-License-Identifier: BSD-2-Clause */
/* Finishing a profile when its program has ended: what a report needs is kept, and nothing else. */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>

/* By old number: the new one, or PD_NONE if it is dropped. */
struct numbers {
	uint32_t *nodes, *places;
};

static void mark_used(const struct profile *p, struct numbers *to)
{
	for (size_t i = 0; i < p->n_nodes; i++)
		to->nodes[i] = i < PD_FIRST_NODE ? 0 : PD_NONE;
	for (size_t i = 0; i < p->n_places; i++)
		to->places[i] = PD_NONE;
	for (size_t i = 0; i < p->n_leaves; i++)
		if (p->leaves[i].allocs)
			to->nodes[p->leaves[i].node] = 0;
	for (size_t i = 0; i < p->lifetimes.counts.n_sites; i++)
		to->nodes[p->lifetimes.counts.sites[i].node] = 0;
	for (size_t i = 0; i < p->kept_windows.n; i++)
		to->nodes[p->kept_windows.v[i].node] = 0;
	/* A parent stands before its children. */
	for (size_t i = p->n_nodes; i-- > PD_FIRST_NODE;) {
		if (to->nodes[i] == PD_NONE)
			continue;
		to->nodes[p->nodes[i].parent] = 0;
		to->places[p->nodes[i].frame] = 0;
	}
}

static void move_places(struct profile *p, struct numbers *to)
{
	uint32_t n = 0;

	for (size_t i = 0; i < p->n_places; i++) {
		if (to->places[i] == PD_NONE)
			continue;
		to->places[i] = n;
		p->places[n++] = p->places[i];
	}
	p->n_places = n;
}

static void move_nodes(struct profile *p, struct numbers *to)
{
	uint32_t n = 0;

	for (size_t i = 0; i < p->n_nodes; i++) {
		struct call_node node = p->nodes[i];

		if (to->nodes[i] == PD_NONE)
			continue;
		if (i >= PD_FIRST_NODE) {
			node.parent = to->nodes[node.parent];
			node.frame = to->places[node.frame];
		}
		to->nodes[i] = n;
		p->nodes[n++] = node;
	}
	p->n_nodes = n;
}

static void move_counts(struct profile *p, const struct numbers *to)
{
	struct mark_counts *marks = &p->kept_marks;
	size_t n = 0, mark = 0;

	for (size_t i = 0; i < p->n_leaves; i++) {
		struct call_leaf leaf = p->leaves[i];

		if (!leaf.allocs)
			continue;
		/* A leaf with a live block has a request; marks are sorted by leaf. */
		for (; mark < marks->n && marks->v[mark].leaf == i; mark++)
			marks->v[mark].leaf = (uint32_t)n;
		leaf.node = to->nodes[leaf.node];
		p->leaves[n++] = leaf;
	}
	p->n_leaves = n;
	lifecounts_finish(&p->lifetimes.counts, to->nodes);
	for (size_t i = 0; i < p->kept_windows.n; i++)
		p->kept_windows.v[i].node = to->nodes[p->kept_windows.v[i].node];
	for (size_t i = 0; i < p->kept_windows.n_survivors; i++)
		p->kept_windows.survivors[i].node = to->nodes[p->kept_windows.survivors[i].node];
	/* A node that held something has a request, so it was kept. */
	for (size_t i = 0; i < p->kept_series.n_held; i++)
		p->kept_series.held[i].site = to->nodes[p->kept_series.held[i].site];
}

/* Makes an array that will not grow any more as small as it can be. */
static void shrink(void *array, size_t n, size_t *cap, size_t size)
{
	void **at = array, *smaller = n ? realloc(*at, n * size) : NULL;

	if (!n)
		free(*at);
	if (n && !smaller)
		return;
	*at = smaller;
	*cap = n;
}

static void drop_what_only_events_need(struct profile *p)
{
	struct lifetimes *l = &p->lifetimes;
	struct lifetimes counted = { .events = l->events, .counts = l->counts };

	idindex_release(&p->place_index);
	idindex_release(&p->node_index);
	idindex_release(&p->leaf_index);
	live_release(&p->live);
	marks_release(&p->marks);
	l->counts = (struct lifecounts){ 0 };
	lifetimes_release(l);
	*l = counted;
	windows_release(&p->windows);
	series_release(&p->series);
	free(p->taken);
	p->taken = NULL;
	p->n_taken = p->cap_taken = 0;
	free(p->walked);
	p->walked = NULL;
	p->n_walked = p->cap_walked = 0;
}

/* Computes the results of all that is freed afterwards. 0, or -ENOMEM: nothing has changed. */
static int list_counts(struct profile *p)
{
	const struct pd_memory memory = profile_memory(p);
	struct kept_windows windows = { 0 };
	struct kept_series series = { 0 };
	struct mark_counts marks = { 0 };
	int err = profile_list_windows(p, &windows);

	if (!err)
		err = profile_list_series(p, &series);
	if (!err)
		err = profile_list_marks(p, &marks);
	if (!err)
		err = before_finish(&p->before);
	if (err) {
		kept_windows_release(&windows);
		kept_series_release(&series);
		mark_counts_release(&marks);
		return err;
	}
	p->kept_windows = windows;
	p->kept_series = series;
	p->kept_marks = marks;
	p->memory = memory;
	return 0;
}

int profile_finish(struct profile *p)
{
	struct numbers to = { calloc(p->n_nodes + 1, sizeof *to.nodes),
			      calloc(p->n_places + 1, sizeof *to.places) };
	struct lifecounts *c = &p->lifetimes.counts;
	int err = p->finished ? 0 : to.nodes && to.places ? list_counts(p) : -ENOMEM;

	if (!err && !p->finished) {
		p->finished = true;
		mark_used(p, &to);
		move_places(p, &to);
		move_nodes(p, &to);
		move_counts(p, &to);
		drop_what_only_events_need(p);
		shrink(&p->places, p->n_places, &p->cap_places, sizeof *p->places);
		shrink(&p->nodes, p->n_nodes, &p->cap_nodes, sizeof *p->nodes);
		shrink(&p->leaves, p->n_leaves, &p->cap_leaves, sizeof *p->leaves);
		shrink(&c->sites, c->n_sites, &c->cap_sites, sizeof *c->sites);
		shrink(&c->lines, c->n_lines, &c->cap_lines, sizeof *c->lines);
	}
	free(to.nodes);
	free(to.places);
	return err;
}
