/* SPDX-License-Identifier: BSD-2-Clause */
/* A finished profile is turned into places again, and named like one in the making. */
#include "naming/resolve.h"

#include "base/array.h"
#include "base/texts.h"
#include "profile/pd_site_types.h"
#include "profile/pd_windows.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

struct again {
	const struct profile_data *old;
	const struct resolve_module *files;
	struct profile p;	/* only what resolve_profile_by() reads */
	uint32_t *old_site;	/* by place */
	uint32_t *place_of;	/* by site; PD_NONE: an inlined function, which will be inserted
				   again at its caller's place */
};

static uint32_t module_of(const struct profile_data *d, const struct pd_site *s)
{
	return d->functions[s->function].module;
}

static bool is_named_anew(const struct again *a, const struct pd_site *s)
{
	uint32_t module = module_of(a->old, s);

	return module != PD_NONE && a->files[module].fd >= 0;
}

static int make_places(struct again *a)
{
	size_t n = a->old->n_sites;

	a->p.places = calloc(n + 1, sizeof *a->p.places);
	a->old_site = calloc(n + 1, sizeof *a->old_site);
	a->place_of = calloc(n + 1, sizeof *a->place_of);
	if (!a->p.places || !a->old_site || !a->place_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct pd_site *s = &a->old->sites[i];
		bool anew = is_named_anew(a, s);

		a->place_of[i] = PD_NONE;
		if (anew && s->inlined)
			continue;
		a->place_of[i] = (uint32_t)a->p.n_places;
		a->old_site[a->p.n_places] = anew ? PD_NONE : i;
		a->p.places[a->p.n_places++] = (struct profile_place){
			.address = s->address, .module = module_of(a->old, s), .exact = s->exact,
				.guessed = s->guessed };
	}
	return 0;
}

/* @to: by old node. An inlined function's node becomes that of the function it was inlined into. */
static int make_nodes(struct again *a, uint32_t *to)
{
	const struct profile_data *old = a->old;

	a->p.nodes = calloc(old->n_nodes, sizeof *a->p.nodes);
	if (!a->p.nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < old->n_nodes; i++) {
		const struct pd_node *n = &old->nodes[i];
		uint32_t place = i < PD_FIRST_NODE ? PD_NONE : a->place_of[n->site];

		if (i >= PD_FIRST_NODE && place == PD_NONE) {
			to[i] = to[n->parent];
			a->p.nodes[to[i]].resumed += n->resumed;
			continue;
		}
		to[i] = (uint32_t)a->p.n_nodes;
		a->p.nodes[a->p.n_nodes++] = (struct call_node){
			.parent = i < PD_FIRST_NODE ? PD_NONE : to[n->parent],
			.frame = place, .resumed = n->resumed };
	}
	return 0;
}

static int make_leaves(struct again *a, const uint32_t *to)
{
	const struct profile_data *old = a->old;

	struct mark_counts *marks = &a->p.kept_marks;

	a->p.leaves = calloc(old->n_leaves + 1, sizeof *a->p.leaves);
	marks->v = calloc(old->n_leaves * PD_REACH_CLASSES + 1, sizeof *marks->v);
	marks->reach = old->reach;
	if (!a->p.leaves || !marks->v)
		return -ENOMEM;
	for (size_t i = 0; i < old->n_leaves; i++) {
		const struct pd_leaf *l = &old->leaves[i];

		a->p.leaves[a->p.n_leaves++] =
			(struct call_leaf){ .node = to[l->node], .size = l->size,
								   .allocs = l->allocs,
								   .frees = l->frees,
								   .at_peak = l->at_peak,
								   .label = l->label };
		for (unsigned k = 0; k < PD_REACH_CLASSES; k++)
			if (l->reach[k])
				marks->v[marks->n++] = (struct mark_count){
					(uint32_t)i, (uint8_t)k, l->reach[k],
					k == PD_LOST ? l->hanging : (struct pd_sum){ 0 } };
	}
	return 0;
}

static int make_lifetimes(struct again *a, const uint32_t *to)
{
	const struct profile_data *old = a->old;
	int err = 0;

	for (size_t i = 0; i < old->n_lifetimes && !err; i++) {
		struct pd_lifetime l = old->lifetimes[i];

		l.node = to[l.node];
		err = lifecounts_add_bucket(&a->p.lifetimes.counts, &l);
	}
	return err;
}

static int make_windows(struct again *a, const uint32_t *to)
{
	const struct profile_data *old = a->old;
	struct kept_windows all = { .window_ns = old->window_ns,
				    .over = old->windows_over,
				    .v = old->windows,
				    .n = old->n_windows,
				    .survivors = old->survivors,
				    .n_survivors = old->n_survivors };
	struct profile from = { .finished = true, .kept_windows = all };
	struct kept_windows *k = &a->p.kept_windows;
	int err = profile_list_windows(&from, k);

	if (err)
		return err;
	/* The windows of an inlined function become those of the function it was inlined into. */
	struct profile_data moved = { .windows_over = k->over,
				      .windows = k->v,
				      .n_windows = k->n,
				      .survivors = k->survivors,
				      .n_survivors = k->n_survivors };

	pd_windows_move(&moved, to);
	k->n = moved.n_windows;
	k->n_survivors = moved.n_survivors;
	a->p.finished = true;
	return 0;
}

/* A site in held[] is replaced by a node of any chain that ends there, as only its place is needed;
 * inlined sites of one place are joined. */
static int make_series(struct again *a, const uint32_t *to)
{
	const struct profile_data *old = a->old;
	struct kept_series all = { .points = old->series, .n = old->n_series,
				   .held = old->held, .n_held = old->n_held, .depth = 1 };
	struct profile from = { .finished = true, .kept_series = all };
	struct kept_series *k = &a->p.kept_series;
	uint32_t *nodes = malloc((old->n_sites + 1) * sizeof *nodes);
	int err = nodes ? profile_list_series(&from, k) : -ENOMEM;

	for (size_t i = 0; !err && i < old->n_sites; i++)
		nodes[i] = PD_NONE;
	for (size_t i = PD_FIRST_NODE; !err && i < old->n_nodes; i++)
		nodes[old->nodes[i].site] = to[i];
	size_t n = k->n_held;

	k->n_held = 0;
	for (size_t i = 0; !err && i < n; i++) {
		struct pd_held h = k->held[i];

		h.site = nodes[h.site];
		if (h.site != PD_NONE)
			k->held[k->n_held++] = h;
	}
	free(nodes);
	return err;
}

static int copy_command(const struct profile_data *old, struct profile_data *out)
{
	texts_free(out->command);
	out->command = texts_copy(old->command);
	return out->command ? 0 : -ENOMEM;
}

static int copy_points(const struct profile_data *old, struct profile_data *out)
{
	out->points = calloc(old->n_points + 1, sizeof *out->points);
	if (!out->points)
		return -ENOMEM;
	for (size_t i = 0; i < old->n_points; i++)
		out->points[i] = old->points[i];
	out->n_points = old->n_points;
	return 0;
}

static int replace(char **text, const char *by)
{
	free(*text);
	*text = strdup(by);
	return *text ? 0 : -ENOMEM;
}

/* Makes m->names "DWARF in FILE", unless it names a debug file already. */
static int say_file(struct pd_module *m, const char *file)
{
	char *text = NULL;
	size_t what = strcspn(m->names, " ;");

	if (!*m->names || m->names[what] == ' ')
		return 0;
	if (asprintf(&text, "%.*s in %s%s", (int)what, m->names, file, m->names + what) < 0)
		return -ENOMEM;
	free(m->names);
	m->names = text;
	return 0;
}

/* Path and build ID stay those of the program's modules, whichever files had the names. */
static int describe(const struct again *a, struct profile_data *out)
{
	int err = 0;

	for (size_t i = 0; !err && i < out->n_modules; i++) {
		struct pd_module *m = &out->modules[i];
		const struct pd_module *was = &a->old->modules[i];

		err = a->files[i].fd >= 0 ? say_file(m, m->path) : replace(&m->names, was->names);
		if (!err)
			err = replace(&m->path, was->path);
		if (!err)
			err = replace(&m->build_id, was->build_id);
	}
	return err;
}

/* ---- types at sites ---- */

/* Copies the types of @from's node to @to's node @node. */
static int copy_types(const struct profile_data *from, uint32_t from_node, uint32_t node,
		      struct profile_data *to, size_t *cap)
{
	for (size_t i = pd_site_types_from(from, from_node);
	     i < from->n_site_types && from->site_types[i].node == from_node; i++) {
		struct pd_site_type t = from->site_types[i];

		t.node = node;
		t.name = strdup(t.name);
		if (!t.name || ARRAY_RESERVE(&to->site_types, cap, to->n_site_types)) {
			free(t.name);
			return -ENOMEM;
		}
		to->site_types[to->n_site_types++] = t;
	}
	return 0;
}

/* Keeps the old types where the files have none. @node_of: by leaf of @old. 0 or -ENOMEM. */
static int keep_types(const struct profile_data *old, const uint32_t *node_of,
		      struct profile_data *out)
{
	struct profile_data kept = { 0 };
	size_t cap_kept = 0, cap = out->n_site_types;
	int err = 0;

	for (size_t i = 0; !err && i < old->n_leaves; i++) {
		uint32_t node = old->leaves[i].node;
		bool again = i && old->leaves[i - 1].node == node && node_of[i - 1] == node_of[i];

		if (!again && node_of[i] != PD_NONE && !pd_site_types_has(out, node_of[i]))
			err = copy_types(old, node, node_of[i], &kept, &cap_kept);
	}
	for (size_t i = 0; !err && i < kept.n_site_types; i++) {
		err = ARRAY_RESERVE(&out->site_types, &cap, out->n_site_types) ? -ENOMEM : 0;
		if (!err) {
			out->site_types[out->n_site_types++] = kept.site_types[i];
			kept.site_types[i].name = NULL;
		}
	}
	pd_site_types_drop(&kept);
	pd_site_types_sort(out);
	return err;
}

static int fill(struct again *a, const struct symbols_search *search, struct profile_data *out)
{
	const struct profile_data *old = a->old;
	struct resolve_how how = { .search = *search, .jit_map = -1, .old = old };
	uint32_t *to = calloc(old->n_nodes, sizeof *to);
	int err = to ? make_places(a) : -ENOMEM;

	how.leaf_nodes = calloc(old->n_leaves + 1, sizeof *how.leaf_nodes);
	err = how.leaf_nodes ? err : -ENOMEM;

	if (!err)
		err = make_nodes(a, to);
	if (!err)
		err = make_leaves(a, to);
	if (!err)
		err = make_lifetimes(a, to);
	if (!err)
		err = make_windows(a, to);
	if (!err)
		err = make_series(a, to);
	free(to);
	how.old_site = a->old_site;
	a->p.totals = old->totals;
	a->p.load = old->load;
	if (!err)
		err = resolve_profile_by(&how, &a->p, a->files, old->n_modules, old->program, out);
	if (!err)
		err = keep_types(old, how.leaf_nodes, out);
	free(how.leaf_nodes);
	return err;
}

int resolve_again(const struct profile_data *old, const struct resolve_module *files,
		  const struct symbols_search *search, struct profile_data *out)
{
	struct again a = { .old = old, .files = files };
	int err = fill(&a, search, out);

	if (!err)
		err = describe(&a, out);
	if (!err)
		err = copy_command(old, out);
	if (!err)
		err = copy_points(old, out);
	if (!err)
		err = profile_data_copy_besides(out, old);
	out->memory = old->memory;
	out->spared = old->spared;
	out->unseen = old->unseen;
	out->slowdown_milli = old->slowdown_milli;
	out->engines = old->engines;
	out->from = old->from;
	out->pid = old->pid;
	out->started_ns = old->started_ns;
	out->ended_ns = old->ended_ns;
	out->min_size = old->min_size;
	out->max_size = old->max_size;
	free(a.p.places);
	free(a.p.nodes);
	free(a.p.leaves);
	lifetimes_release(&a.p.lifetimes);
	kept_windows_release(&a.p.kept_windows);
	kept_series_release(&a.p.kept_series);
	mark_counts_release(&a.p.kept_marks);
	free(a.old_site);
	free(a.place_of);
	return err;
}
