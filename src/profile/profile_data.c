/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct profile_data *profile_data_new(void)
{
	struct profile_data *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	d->nodes = calloc(PD_FIRST_NODE, sizeof *d->nodes);
	d->command = calloc(1, sizeof *d->command);
	if (!d->nodes || !d->command) {
		profile_data_free(d);
		return NULL;
	}
	d->n_nodes = PD_FIRST_NODE;
	d->program = PD_NONE;
	for (size_t i = 0; i < PD_FIRST_NODE; i++) {
		d->nodes[i].parent = PD_NONE;
		d->nodes[i].site = PD_NONE;
	}
	return d;
}

void profile_data_add_reach(const struct pd_leaf *l, struct pd_sum sums[PD_REACH_CLASSES])
{
	for (int k = 0; k < PD_REACH_CLASSES; k++) {
		sums[k].blocks += l->reach[k];
		sums[k].bytes += l->reach[k] * l->size;
	}
}

const struct pd_point *profile_data_peak(const struct profile_data *d)
{
	for (size_t i = 0; i < d->n_points; i++)
		if (d->points[i].peak)
			return &d->points[i];
	return NULL;
}

bool *profile_data_modules_used(const struct profile_data *d)
{
	bool *used = calloc(d->n_modules + 1, sizeof *used);

	for (size_t i = PD_FIRST_NODE; used && i < d->n_nodes; i++) {
		uint32_t module = d->functions[d->sites[d->nodes[i].site].function].module;

		if (module != PD_NONE)
			used[module] = true;
	}
	return used;
}

int profile_data_guessed_chains(const struct profile_data *d, uint64_t *n)
{
	bool *guessed = calloc(d->n_nodes + 1, sizeof *guessed);

	*n = 0;
	if (!guessed)
		return -ENOMEM;
	for (size_t i = PD_FIRST_NODE; i < d->n_nodes; i++)
		guessed[i] = guessed[d->nodes[i].parent] || d->sites[d->nodes[i].site].guessed;
	for (size_t i = 0; i < d->n_leaves; i++)
		*n += guessed[d->leaves[i].node] ? d->leaves[i].allocs : 0;
	free(guessed);
	return 0;
}

int profile_data_copy_rss(struct profile_data *d, const struct pd_rss_row *rows, size_t n)
{
	d->rss = calloc(n + 1, sizeof *d->rss);
	if (!d->rss)
		return -ENOMEM;
	for (; d->n_rss < n; d->n_rss++) {
		struct pd_rss_row *row = &d->rss[d->n_rss];

		*row = rows[d->n_rss];
		row->name = strdup(row->name);
		if (!row->name)
			return -ENOMEM;
	}
	return 0;
}

int profile_data_copy_besides(struct profile_data *to, const struct profile_data *from)
{
	const struct pd_before *b = &from->before;

	to->reach = from->reach;
	to->before = *b;
	to->before.bins = calloc(b->n_bins + 1, sizeof *b->bins);
	if (!to->before.bins) {
		to->before.n_bins = 0;
		return -ENOMEM;
	}
	for (size_t i = 0; i < b->n_bins; i++)
		to->before.bins[i] = b->bins[i];
	return profile_data_copy_rss(to, from->rss, from->n_rss);
}

void profile_data_free(struct profile_data *d)
{
	if (!d)
		return;
	for (char **a = d->command; a && *a; a++)
		free(*a);
	free(d->command);
	for (size_t i = 0; i < d->n_modules; i++) {
		free(d->modules[i].path);
		free(d->modules[i].build_id);
		free(d->modules[i].names);
	}
	free(d->modules);
	for (size_t i = 0; i < d->n_functions; i++) {
		free(d->functions[i].name);
		free(d->functions[i].linkage);
	}
	free(d->functions);
	for (size_t i = 0; i < d->n_sites; i++)
		free(d->sites[i].file);
	free(d->sites);
	free(d->nodes);
	free(d->leaves);
	free(d->lifetimes);
	free(d->windows);
	free(d->survivors);
	for (size_t i = 0; i < d->n_site_types; i++)
		free(d->site_types[i].name);
	free(d->site_types);
	free(d->points);
	free(d->before.bins);
	for (size_t i = 0; i < d->n_rss; i++)
		free(d->rss[i].name);
	free(d->rss);
	for (size_t i = 0; i < d->n_types; i++)
		free(d->types[i].name);
	free(d->types);
	free(d);
}
