/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/pd_merge_internal.h"

#include "base/array.h"
#include "profile/pd_site_types.h"

#include <stdlib.h>
#include <string.h>

/* ---- numbers of the whole ---- */

/* Adds @n counters, which are members of two structures of the same type. */
static int sum_all(void *to, const void *from, size_t n)
{
	uint64_t *a = to;
	const uint64_t *b = from;
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = merge_sum(&a[i], b[i]);
	return err;
}

#define SUM_ALL(to, from) sum_all((to), (from), sizeof *(to) / sizeof(uint64_t))

static int sum_unseen(struct pd_unseen *to, const struct pd_unseen *from)
{
	uint64_t taken = (uint64_t)to->taken + from->taken;
	int err = sum_all(to, from, offsetof(struct pd_unseen, taken) / sizeof(uint64_t));

	if (!err)
		err = merge_sum(&to->pauses, from->pauses);
	if (!err)
		err = merge_sum(&to->paused_ns, from->paused_ns);
	to->taken = taken < UINT32_MAX ? (uint32_t)taken : UINT32_MAX;
	to->untrapped |= from->untrapped;
	return err;
}

/* The peak is the highest of any profile, with what was live in that one. */
static int sum_totals(struct pd_merge *m, const struct profile_data *d)
{
	struct pd_totals *t = &m->d->totals;
	uint64_t peak = t->peak_bytes;

	t->peak_bytes = 0;
	int err = SUM_ALL(t, &d->totals);
	for (size_t i = 0; d->totals.peak_bytes > peak && i < m->d->n_leaves; i++)
		m->d->leaves[i].at_peak = 0;
	m->highest = !m->n || d->totals.peak_bytes > peak;
	t->peak_bytes = m->highest ? d->totals.peak_bytes : peak;
	return err;
}

/* What one profile did not keep, the sum does not have. */
static void take_spared(struct pd_spared *to, const struct pd_spared *from)
{
	to->lifetimes |= from->lifetimes;
	to->timeline |= from->timeline;
	if (from->depth && (!to->depth || from->depth < to->depth))
		to->depth = from->depth;
}

static void take_times(struct pd_merge *m, const struct profile_data *d)
{
	struct profile_data *sum = m->d;

	if (!m->n || d->started_ns < sum->started_ns)
		sum->started_ns = d->started_ns;
	if (d->ended_ns > sum->ended_ns)
		sum->ended_ns = d->ended_ns;
	sum->min_size = d->min_size;
	sum->max_size = d->max_size;
	sum->labelled |= d->labelled;
	take_spared(&sum->spared, &d->spared);
	sum->engines |= d->engines ? d->engines : PD_ENGINE_UNTOLD;
	sum->from = !m->n || sum->from == d->from ? d->from : PD_FROM_UNKNOWN;
}

/* ---- blocks from before, and lost blocks ---- */

static int compare_bins(const void *a, const void *b)
{
	const struct pd_before_bin *x = a, *y = b;

	return x->usable < y->usable ? -1 : x->usable > y->usable;
}

static int sum_before(struct pd_merge *m, const struct pd_before *from)
{
	struct pd_before *to = &m->d->before;
	int err = merge_sum(&to->blocks, from->blocks);

	m->no_before |= from->how == BEFORE_UNKNOWN;
	m->no_walk |= from->how != BEFORE_WALKED;
	if (!err)
		err = merge_sum(&to->bytes, from->bytes);
	if (!err)
		err = merge_sum(&to->freed_bytes, from->freed_bytes);
	if (!err)
		err = merge_sum(&to->missed, from->missed);
	if (!err)
		err = merge_sum(&to->missed_bytes, from->missed_bytes);
	if (!err)
		err = merge_sum(&to->walk_ns, from->walk_ns);
	for (size_t i = 0; !err && i < from->n_bins; i++) {
		err = ARRAY_RESERVE(&to->bins, &m->cap_bins, to->n_bins);
		if (!err)
			to->bins[to->n_bins++] = from->bins[i];
	}
	return err;
}

/* The classes together are all blocks of a look: that sum has to fit, too. */
static int check_classes(const struct pd_reach *r)
{
	struct pd_sum all = { 0 };
	int err = 0;

	for (int k = 0; !err && k < PD_REACH_CLASSES; k++)
		err = SUM_ALL(&all, &r->sums[k]);
	return err;
}

static int sum_reach(struct pd_merge *m, const struct pd_reach *from)
{
	struct pd_reach *to = &m->d->reach;
	int err = 0;

	m->no_reach |= !from->known;
	for (int k = 0; !err && k < PD_REACH_CLASSES; k++)
		err = SUM_ALL(&to->sums[k], &from->sums[k]);
	if (!err)
		err = check_classes(to);
	if (!err)
		err = merge_sum(&to->freed, from->freed);
	return err ? err : merge_sum(&to->inherited, from->inherited);
}

/* ---- what is counted by chain and size ---- */

static int add_leaves(struct pd_merge *m, const struct profile_data *d, const uint32_t *node)
{
	struct profile_data *sum = m->d;

	for (size_t i = 0; i < d->n_leaves; i++) {
		struct pd_leaf l = d->leaves[i];

		l.node = node[l.node];
		if (!m->highest)
			l.at_peak = 0;
		if (ARRAY_RESERVE(&sum->leaves, &m->cap_leaves, sum->n_leaves))
			return -ENOMEM;
		sum->leaves[sum->n_leaves++] = l;
	}
	return 0;
}

static int add_lifetimes(struct pd_merge *m, const struct profile_data *d, const uint32_t *node)
{
	struct profile_data *sum = m->d;

	for (size_t i = 0; i < d->n_lifetimes; i++) {
		struct pd_lifetime l = d->lifetimes[i];

		l.node = node[l.node];
		if (ARRAY_RESERVE(&sum->lifetimes, &m->cap_lifetimes, sum->n_lifetimes))
			return -ENOMEM;
		sum->lifetimes[sum->n_lifetimes++] = l;
	}
	return 0;
}

static int add_site_types(struct pd_merge *m, const struct profile_data *d, const uint32_t *node)
{
	struct profile_data *sum = m->d;

	for (size_t i = 0; i < d->n_site_types; i++) {
		struct pd_site_type t = d->site_types[i];

		t.node = node[t.node];
		if (ARRAY_RESERVE(&sum->site_types, &m->cap_site_types, sum->n_site_types) ||
		    !(t.name = strdup(t.name)))
			return -ENOMEM;
		sum->site_types[sum->n_site_types++] = t;
	}
	return 0;
}

static int add_types(struct pd_merge *m, const struct profile_data *d)
{
	struct profile_data *sum = m->d;

	for (size_t i = 0; i < d->n_types; i++) {
		struct pd_type t = d->types[i];

		if (ARRAY_RESERVE(&sum->types, &m->cap_types, sum->n_types) ||
		    !(t.name = strdup(t.name)))
			return -ENOMEM;
		sum->types[sum->n_types++] = t;
	}
	return 0;
}

/* By size, then name; the program's own types first. */
static int compare_same(const void *a, const void *b)
{
	const struct pd_type *x = a, *y = b;
	int order = x->size != y->size ? (x->size < y->size ? -1 : 1) : strcmp(x->name, y->name);

	return order ? order : x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int compare_types(const void *a, const void *b)
{
	const struct pd_type *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : strcmp(x->name, y->name);
}

static void join_types(struct profile_data *d)
{
	size_t n = 0;

	if (!d->n_types)
		return;
	qsort(d->types, d->n_types, sizeof *d->types, compare_same);
	for (size_t i = 0; i < d->n_types; i++)
		if (n && d->types[n - 1].size == d->types[i].size &&
		    !strcmp(d->types[n - 1].name, d->types[i].name))
			free(d->types[i].name);
		else
			d->types[n++] = d->types[i];
	d->n_types = n;
	qsort(d->types, n, sizeof *d->types, compare_types);
}

int merge_counts(struct pd_merge *m, const struct profile_data *d, const struct merge_maps *to)
{
	int err = sum_totals(m, d);

	take_times(m, d);
	if (!err)
		err = sum_unseen(&m->d->unseen, &d->unseen);
	if (!err)
		err = SUM_ALL(&m->d->memory, &d->memory);
	if (!err)
		err = sum_before(m, &d->before);
	if (!err)
		err = sum_reach(m, &d->reach);
	if (!err)
		err = add_leaves(m, d, to->node);
	if (!err)
		err = add_lifetimes(m, d, to->node);
	if (!err)
		err = add_site_types(m, d, to->node);
	if (!err)
		err = add_types(m, d);
	/* Now, so that memory is needed for the sum and one profile only. */
	pd_tree_merge_leaves(m->d);
	pd_tree_merge_lifetimes(m->d);
	pd_site_types_sort(m->d);
	join_types(m->d);
	return err;
}

/* ---- the end ---- */

static void join_bins(struct pd_before *b)
{
	size_t n = 0;

	if (b->n_bins)
		qsort(b->bins, b->n_bins, sizeof *b->bins, compare_bins);
	for (size_t i = 0; i < b->n_bins; i++) {
		struct pd_before_bin *last = n ? &b->bins[n - 1] : NULL;

		if (!last || last->usable != b->bins[i].usable) {
			b->bins[n++] = b->bins[i];
			continue;
		}
		last->blocks += b->bins[i].blocks;
		last->freed += b->bins[i].freed;
		last->missed += b->bins[i].missed;
	}
	b->n_bins = n;
}

/* If not every profile has its blocks from before, their frees count as frees of unknown blocks. */
static int finish_before(struct pd_merge *m)
{
	struct pd_before *b = &m->d->before;
	struct pd_totals *t = &m->d->totals;

	b->how = m->no_before ? BEFORE_UNKNOWN : m->no_walk ? BEFORE_COUNTED : BEFORE_WALKED;
	join_bins(b);
	if (b->how == BEFORE_WALKED)
		return 0;
	int err = merge_sum(&t->unknown_frees, t->before_frees);
	t->before_frees = 0;
	b->n_bins = 0;
	b->freed_bytes = b->missed = b->missed_bytes = 0;
	if (b->how == BEFORE_UNKNOWN)
		b->blocks = b->bytes = 0;
	return err;
}

static void finish_reach(struct pd_merge *m)
{
	struct profile_data *d = m->d;

	d->reach.known = m->n && !m->no_reach;
	if (d->reach.known)
		return;
	d->reach = (struct pd_reach){ 0 };
	for (size_t i = 0; i < d->n_leaves; i++) {
		memset(d->leaves[i].reach, 0, sizeof d->leaves[i].reach);
		d->leaves[i].hanging = (struct pd_sum){ 0 };
	}
}

int merge_finish_counts(struct pd_merge *m)
{
	finish_reach(m);
	if (m->d->spared.lifetimes)
		m->d->n_lifetimes = 0;
	return finish_before(m);
}
