/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/view.h"

#include "profile/pd_site_types.h"
#include "profile/pd_tree.h"
#include "naming/view_fns.h"
#include "naming/resolve_types.h"
#include "naming/shortname.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- without inlined functions ---- */

static bool is_inlined(const struct profile_data *d, uint32_t node)
{
	return node >= PD_FIRST_NODE && d->sites[d->nodes[node].site].inlined;
}

/* Renumbers nodes: an inlined function's node becomes that of the function it was inlined into. */
static int fold_nodes(struct profile_data *d, struct pd_node *old, size_t n_old, uint32_t *to)
{
	struct pd_tree tree = { .d = d };
	int err = 0;

	for (uint32_t i = 0; !err && i < n_old; i++) {
		const struct pd_node *n = &old[i];

		if (i < PD_FIRST_NODE)
			to[i] = i;
		else if (d->sites[n->site].inlined)
			to[i] = to[n->parent];
		else
			to[i] = pd_tree_child(&tree, to[n->parent], n->site);
		if (to[i] == IDINDEX_NONE)
			err = -ENOMEM;
		else
			d->nodes[to[i]].resumed += n->resumed;
	}
	pd_tree_release(&tree);
	return err;
}

static int drop_inlines(struct profile_data *d)
{
	struct pd_node *old = d->nodes, *roots = calloc(PD_FIRST_NODE, sizeof *roots);
	size_t n_old = d->n_nodes, any = 0;
	uint32_t *to = calloc(n_old, sizeof *to);
	int err = roots && to ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < n_old; i++)
		any += is_inlined(d, i);
	if (err || !any) {
		free(roots);
		free(to);
		return err;
	}
	for (size_t i = 0; i < PD_FIRST_NODE; i++)
		roots[i] = (struct pd_node){ .parent = PD_NONE, .site = PD_NONE };
	d->nodes = roots;
	d->n_nodes = PD_FIRST_NODE;
	d->is_folded = true;
	err = fold_nodes(d, old, n_old, to);
	if (!err)
		pd_tree_move_counts(d, to);
	free(old);
	free(to);
	return err;
}

/* ---- names and types ---- */

/* 0, or -ENOMEM: then *name is unchanged. */
static int shorten(const char *linkage, char **name)
{
	size_t size = strlen(*name) + 1;
	char *shorter = malloc(size);

	if (!shorter)
		return -ENOMEM;
	shortname(linkage, *name, shorter, size);
	free(*name);
	*name = shorter;
	return 0;
}

/* Functions with the same name stay separate; types with the same name and size become one, as
 * always. */
static int shorten_names(struct profile_data *d)
{
	int err = 0;

	for (size_t i = 0; !err && i < d->n_functions; i++)
		if (!names_is_nameless(d->functions[i].name))
			err = shorten(d->functions[i].linkage, &d->functions[i].name);
	for (size_t i = 0; !err && i < d->n_types; i++)
		err = shorten(NULL, &d->types[i].name);
	types_drop_repeated(d);
	return err;
}

static void drop_types(struct profile_data *d, enum view_types seen)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n_types; i++) {
		if (seen == VIEW_TYPES_PROGRAM && d->types[i].rank == 0)
			d->types[kept++] = d->types[i];
		else
			free(d->types[i].name);
	}
	d->n_types = kept;
}

/* ---- at the peak ---- */

/* Keeps only the blocks that were live at the peak. */
static void only_at_peak(struct profile_data *d)
{
	size_t kept = 0;

	d->is_part = true;
	d->left_out = (struct pd_left_out){ .allocs = d->left_out.peak_blocks,
					    .bytes = d->left_out.peak_bytes,
					    .peak_blocks = d->left_out.peak_blocks,
					    .peak_bytes = d->left_out.peak_bytes };
	d->totals = (struct pd_totals){ .peak_bytes = d->totals.peak_bytes,
					.before_frees = d->totals.before_frees,
					.paused_frees = d->totals.paused_frees };
	for (size_t i = 0; i < d->n_leaves; i++) {
		struct pd_leaf l = d->leaves[i];

		if (!l.at_peak)
			continue;
		l.allocs = l.at_peak;
		l.frees = 0;
		/* Lost blocks are those found at the end. */
		memset(l.reach, 0, sizeof l.reach);
		l.hanging = (struct pd_sum){ 0 };
		d->totals.allocs += l.allocs;
		d->totals.alloc_bytes += l.allocs * l.size;
		d->leaves[kept++] = l;
	}
	d->n_leaves = kept;
	d->n_lifetimes = 0;
	d->n_windows = d->n_survivors = 0;
	d->window_ns = d->windows_over = 0;
	d->reach = (struct pd_reach){ 0 };
	/* This counts successive requests, most of which are left out. */
	for (size_t i = 0; i < d->n_nodes; i++)
		d->nodes[i].resumed = 0;
}

int view_apply(const struct view *v, struct profile_data *d)
{
	int err = view_drop_functions(d, v->alloc_fns, v->ignore_fns);

	if (!err && v->at_peak)
		only_at_peak(d);
	if (!err && v->no_inlines)
		err = drop_inlines(d);
	if (!err && v->short_names)
		err = shorten_names(d);
	if (!err && v->no_site_types)
		pd_site_types_drop(d);
	if (!err && v->types != VIEW_TYPES_ALL)
		drop_types(d, v->types);
	return err;
}
