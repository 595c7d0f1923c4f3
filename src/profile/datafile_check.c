/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile_check.h"

#include "profile/windows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int wrong(struct error *e, const char *what, size_t i, const char *why)
{
	return error_set(e, -EUCLEAN, "%s %zu: %s", what, i, why);
}

static int check_functions(const struct profile_data *d, struct error *e)
{
	for (size_t i = 0; i < d->n_modules; i++) {
		const struct pd_module *m = &d->modules[i];

		if (!m->path || !m->build_id || !m->names)
			return wrong(e, "module", i, "a text is missing");
	}
	if (d->program != PD_NONE && d->program >= d->n_modules)
		return error_set(e, -EUCLEAN, "there is no module %" PRIu32, d->program);
	for (size_t i = 0; i < d->n_functions; i++) {
		const struct pd_function *f = &d->functions[i];

		if (!f->name)
			return wrong(e, "function", i, "it has no name");
		if (f->module != PD_NONE && f->module >= d->n_modules)
			return wrong(e, "function", i, "there is no such module");
	}
	for (size_t i = 0; i < d->n_sites; i++) {
		if (d->sites[i].function >= d->n_functions)
			return wrong(e, "site", i, "there is no such function");
		if (d->sites[i].inlined > 1)
			return wrong(e, "site", i, "inlined is neither 0 nor 1");
		if (d->sites[i].exact > 1)
			return wrong(e, "site", i, "exact is neither 0 nor 1");
		if (d->sites[i].guessed > 1)
			return wrong(e, "site", i, "guessed is neither 0 nor 1");
	}
	return 0;
}

static int check_nodes(const struct profile_data *d, struct error *e)
{
	if (d->n_nodes < PD_FIRST_NODE || d->n_nodes >= PD_NONE)
		return error_set(e, -EUCLEAN, "there are %zu nodes", d->n_nodes);
	for (size_t i = 0; i < PD_FIRST_NODE; i++)
		if (d->nodes[i].parent != PD_NONE || d->nodes[i].site != PD_NONE)
			return wrong(e, "node", i, "it should be a root");
	for (size_t i = PD_FIRST_NODE; i < d->n_nodes; i++) {
		if (d->nodes[i].parent >= i)
			return wrong(e, "node", i, "its parent does not precede it");
		if (d->nodes[i].site >= d->n_sites)
			return wrong(e, "node", i, "there is no such site");
	}
	return 0;
}

static bool leaf_in_order(const struct pd_leaf *a, const struct pd_leaf *b)
{
	if (a->node != b->node)
		return a->node < b->node;
	return a->size < b->size || (a->size == b->size && a->label < b->label);
}

/* a += n x size; false if that is more than 64 bits can hold. */
static bool add_product(uint64_t *a, uint64_t n, uint64_t size)
{
	uint64_t product;

	return !__builtin_mul_overflow(n, size, &product) &&
	       !__builtin_add_overflow(*a, product, a);
}

static int check_totals(const struct profile_data *d, const struct pd_totals *sum, struct error *e)
{
	const struct pd_totals *t = &d->totals;

	if (sum->allocs != t->allocs || sum->alloc_bytes != t->alloc_bytes ||
	    sum->frees != t->frees || sum->free_bytes != t->free_bytes)
		return error_set(e, -EUCLEAN,
				 "the leaves add up to %" PRIu64 " requests of %" PRIu64
				 " bytes and %" PRIu64 " frees of %" PRIu64
				 " bytes, the totals are %" PRIu64 ", %" PRIu64 ", %" PRIu64
				 " and %" PRIu64,
				 sum->allocs, sum->alloc_bytes, sum->frees, sum->free_bytes,
				 t->allocs, t->alloc_bytes, t->frees, t->free_bytes);
	if (t->truncated_no_cfi > t->truncated_chains ||
	    t->truncated_unreadable > t->truncated_chains - t->truncated_no_cfi ||
	    t->truncated_too_deep >
		    t->truncated_chains - t->truncated_no_cfi - t->truncated_unreadable ||
	    t->truncated_cut > t->truncated_chains - t->truncated_no_cfi -
				       t->truncated_unreadable - t->truncated_too_deep)
		return error_set(e, -EUCLEAN, "more reasons for truncated chains than such chains");
	if (d->load.begin_ns > d->load.end_ns)
		return error_set(e, -EUCLEAN, "it ends before it begins");
	if (d->unseen.lost_unreadable > d->unseen.lost ||
	    d->unseen.lost_damaged > d->unseen.lost - d->unseen.lost_unreadable)
		return error_set(e, -EUCLEAN, "more events lost at one place than at all");
	if (d->spared.lifetimes > 1 || d->spared.timeline > 1)
		return error_set(e, -EUCLEAN, "what was spared is neither 0 nor 1");
	if ((d->spared.lifetimes && d->n_lifetimes) || (d->spared.timeline && d->n_windows))
		return error_set(e, -EUCLEAN, "it tells of what was spared");
	if (d->unseen.untrapped > 1)
		return error_set(e, -EUCLEAN, "untrapped is neither 0 nor 1");
	if (t->inherited_frees > t->unknown_frees)
		return error_set(e, -EUCLEAN, "more inherited frees than unknown ones");
	if (t->missed > t->frees || t->missed_bytes > t->free_bytes)
		return error_set(e, -EUCLEAN, "more blocks missed in pauses than gone");
	if (d->load.missed > t->missed || d->load.missed_bytes > t->missed_bytes)
		return error_set(e, -EUCLEAN, "more blocks in the load than were missed in pauses");
	return 0;
}

static int check_points(const struct profile_data *d, struct error *e)
{
	const struct pd_point *peak = NULL;

	for (size_t i = 0; i < d->n_points; i++) {
		const struct pd_point *p = &d->points[i];

		if (p->peak > 1)
			return wrong(e, "point", i, "peak is neither 0 nor 1");
		if (i && p->time_ns < p[-1].time_ns)
			return wrong(e, "point", i, "it is out of order");
		if (p->live_bytes > d->totals.peak_bytes)
			return wrong(e, "point", i, "it is above the peak");
		if (p->extra_bytes > UINT64_MAX - p->live_bytes)
			return wrong(e, "point", i, "the sum is more than 64 bits can hold");
		if (p->peak && (peak || p->live_bytes != d->totals.peak_bytes))
			return wrong(e, "point", i, "it is not the peak");
		if (p->peak)
			peak = p;
	}
	return 0;
}

/* The classes add up to no more blocks than are live. */
static bool reach_fits(const struct profile_data *d, const struct pd_leaf *l)
{
	uint64_t left = l->allocs - l->frees;

	for (int k = 0; k < PD_REACH_CLASSES; k++) {
		if (l->reach[k] > left || (l->reach[k] && !d->reach.known))
			return false;
		left -= l->reach[k];
	}
	return l->reach[PD_LOST] || !(l->hanging.blocks || l->hanging.bytes);
}

static int check_leaves(const struct profile_data *d, struct error *e)
{
	struct pd_totals sum = { 0 };
	uint64_t at_peak = 0;

	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];

		if (l->node >= d->n_nodes)
			return wrong(e, "leaf", i, "there is no such node");
		if (l->frees > l->allocs)
			return wrong(e, "leaf", i, "more frees than requests");
		if (l->label > 4)
			return wrong(e, "leaf", i, "there is no such label");
		if (i && !leaf_in_order(l - 1, l))
			return wrong(e, "leaf", i, "it is out of order");
		/* The bytes freed cannot overflow where the bytes requested did not. */
		if (!add_product(&sum.allocs, l->allocs, 1) ||
		    !add_product(&sum.alloc_bytes, l->allocs, l->size) ||
		    !add_product(&sum.frees, l->frees, 1) ||
		    !add_product(&sum.free_bytes, l->frees, l->size))
			return wrong(e, "leaf", i, "the sum is more than 64 bits can hold");
		if (l->at_peak > l->allocs)
			return wrong(e, "leaf", i, "more blocks at the peak than requests");
		at_peak += l->at_peak * l->size;
		if (!reach_fits(d, l))
			return wrong(e, "leaf", i, "more of its blocks are lost than there are");
	}
	/* All zero in files of version 1, which did not record it. */
	if (at_peak && at_peak != d->totals.peak_bytes)
		return error_set(e, -EUCLEAN, "the blocks at the peak add up to %" PRIu64
				 " bytes, the peak is %" PRIu64, at_peak, d->totals.peak_bytes);
	return check_totals(d, &sum, e);
}

static bool lifetime_in_order(const struct pd_lifetime *a, const struct pd_lifetime *b)
{
	if (a->node != b->node)
		return a->node < b->node;
	return a->axis != b->axis ? a->axis < b->axis : a->bucket < b->bucket;
}

/* Every axis is about freed blocks, so its sum is at most the number of frees. */
static int check_lifetimes(const struct profile_data *d, struct error *e)
{
	uint64_t sums[PD_LIFE_AXES] = { 0 };

	for (size_t i = 0; i < d->n_lifetimes; i++) {
		const struct pd_lifetime *l = &d->lifetimes[i];

		if (l->node >= d->n_nodes)
			return wrong(e, "lifetime", i, "there is no such node");
		if (l->axis >= PD_LIFE_AXES || l->bucket >= 64)
			return wrong(e, "lifetime", i, "there is no such bucket");
		if (i && !lifetime_in_order(l - 1, l))
			return wrong(e, "lifetime", i, "it is out of order");
		if (!add_product(&sums[l->axis], l->blocks, 1) || sums[l->axis] > d->totals.frees)
			return wrong(e, "lifetime", i, "more blocks than were freed");
	}
	return 0;
}

static int check_windows(const struct profile_data *d, struct error *e)
{
	uint64_t births = 0;

	if (d->windows_over >= WINDOWS_MAX || (d->windows_over && !d->window_ns) ||
	    d->window_ns > UINT64_MAX / WINDOWS_MAX)
		return error_set(e, -EUCLEAN, "there are %" PRIu32 " windows of %" PRIu64 " ns",
				 d->windows_over, d->window_ns);
	for (size_t i = 0; i < d->n_windows; i++) {
		const struct pd_window *w = &d->windows[i];

		if (w->node >= d->n_nodes)
			return wrong(e, "window", i, "there is no such node");
		if (w->i >= d->windows_over)
			return wrong(e, "window", i, "it is not over");
		if (i && (w->node < w[-1].node || (w->node == w[-1].node && w->i <= w[-1].i)))
			return wrong(e, "window", i, "it is out of order");
		if (w->low > w->high || w->low_bytes > w->high_bytes)
			return wrong(e, "window", i, "its floor is above its ceiling");
		if (!add_product(&births, w->births, 1) || births > d->totals.allocs)
			return wrong(e, "window", i, "more births than requests");
	}
	return 0;
}

static int check_survivors(const struct profile_data *d, struct error *e)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < d->n_survivors; i++) {
		const struct pd_survivor *s = &d->survivors[i];

		if (s->node >= d->n_nodes)
			return wrong(e, "survivor", i, "there is no such node");
		if (s->i >= d->windows_over)
			return wrong(e, "survivor", i, "its window is not over");
		if (i && (s->node < s[-1].node || (s->node == s[-1].node && s->i <= s[-1].i)))
			return wrong(e, "survivor", i, "it is out of order");
		if (!add_product(&blocks, s->blocks, 1) ||
		    blocks > d->totals.allocs - d->totals.frees)
			return wrong(e, "survivor", i, "more survivors than kept objects");
	}
	return 0;
}

/* Adds @n blocks of @size; false if a sum does not fit 64 bits. */
static bool add_blocks(uint64_t *sum_n, uint64_t *sum, uint64_t n, uint64_t size)
{
	return add_product(sum_n, n, 1) && add_product(sum, n, size);
}

static int check_before(const struct profile_data *d, struct error *e)
{
	const struct pd_before *b = &d->before;
	struct pd_before sum = { 0 };
	uint64_t frees = 0;

	if (b->how > BEFORE_WALKED)
		return error_set(e, -EUCLEAN, "there is no such way to look at what was before");
	for (size_t i = 0; i < b->n_bins; i++) {
		const struct pd_before_bin *bin = &b->bins[i];

		if (i && bin->usable <= bin[-1].usable)
			return wrong(e, "size before", i, "it is out of order");
		if (bin->freed > bin->blocks || bin->missed > bin->blocks - bin->freed)
			return wrong(e, "size before", i, "more blocks are gone than there were");
		if (!add_blocks(&sum.blocks, &sum.bytes, bin->blocks, bin->usable) ||
		    !add_blocks(&frees, &sum.freed_bytes, bin->freed, bin->usable) ||
		    !add_blocks(&sum.missed, &sum.missed_bytes, bin->missed, bin->usable))
			return wrong(e, "size before", i, "the sum is more than 64 bits can hold");
	}
	if (b->how < BEFORE_WALKED &&
	    (b->n_bins || d->totals.before_frees || b->freed_bytes || b->missed ||
	     b->missed_bytes || (!b->how && (b->blocks || b->bytes))))
		return error_set(e, -EUCLEAN, "more is told of what was before than was looked at");
	if (b->how == BEFORE_WALKED &&
	    (sum.blocks != b->blocks || sum.bytes != b->bytes || frees != d->totals.before_frees ||
	     sum.freed_bytes != b->freed_bytes || sum.missed != b->missed ||
	     sum.missed_bytes != b->missed_bytes))
		return error_set(e, -EUCLEAN, "what was before does not add up to its sums");
	return 0;
}

/*
 * Blocks that leaves count as lost are among all lost blocks, and lost blocks that were freed after
 * the look are in no leaf any more. Bytes are not compared: if a free was missed, the address may
 * hold a smaller block by now than its leaf says.
 */
static int check_reach_of_leaves(const struct profile_data *d, struct error *e)
{
	const struct pd_sum *all = d->reach.sums;
	struct pd_sum sums[PD_REACH_CLASSES] = { 0 };

	for (size_t i = 0; i < d->n_leaves; i++)
		for (int k = 0; k < PD_REACH_CLASSES; k++)
			if (!add_product(&sums[k].blocks, d->leaves[i].reach[k], 1) ||
			    sums[k].blocks > all[k].blocks)
				return wrong(e, "leaf", i,
					     "more of its blocks are lost than were found to be");
	/* No overflow: the sum over all classes has been checked. */
	if (d->reach.freed > all[PD_LOST].blocks - sums[PD_LOST].blocks +
				     all[PD_LOST_THROUGH].blocks - sums[PD_LOST_THROUGH].blocks)
		return error_set(e, -EUCLEAN, "more is lost and freed than was lost");
	return 0;
}

static int check_reach(const struct profile_data *d, struct error *e)
{
	const struct pd_reach *r = &d->reach;
	struct pd_sum all = { 0 };

	for (int k = 0; k < PD_REACH_CLASSES; k++) {
		if (!r->sums[k].blocks != !r->sums[k].bytes)
			return wrong(e, "class of reach", (size_t)k,
				     "blocks without bytes, or bytes without blocks");
		if (!add_product(&all.blocks, r->sums[k].blocks, 1) ||
		    !add_product(&all.bytes, r->sums[k].bytes, 1))
			return wrong(e, "class of reach", (size_t)k,
				     "the sum is more than 64 bits can hold");
	}
	if (r->known > 1 || ((all.blocks || r->freed || r->inherited) && !r->known))
		return error_set(e, -EUCLEAN, "more is told of what is lost than was looked at");
	/* A block that is lost through others hangs on exactly one of them. */
	struct pd_sum left = r->sums[PD_LOST_THROUGH];

	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_sum *h = &d->leaves[i].hanging;

		if (h->blocks > left.blocks || h->bytes > left.bytes)
			return wrong(e, "leaf", i, "more hangs on its blocks than is lost");
		left.blocks -= h->blocks;
		left.bytes -= h->bytes;
	}
	return check_reach_of_leaves(d, e);
}

static int check_rss(const struct profile_data *d, struct error *e)
{
	uint64_t rss = 0, pss = 0;

	for (size_t i = 0; i < d->n_rss; i++) {
		if (!d->rss[i].name)
			return wrong(e, "row of rss", i, "it has no name");
		if (!add_product(&rss, d->rss[i].rss, 1) || !add_product(&pss, d->rss[i].pss, 1))
			return wrong(e, "row of rss", i, "the sum is more than 64 bits can hold");
	}
	return 0;
}

static int check_site_types(const struct profile_data *d, struct error *e)
{
	for (size_t i = 0; i < d->n_site_types; i++) {
		const struct pd_site_type *t = &d->site_types[i];

		if (t->node >= d->n_nodes)
			return wrong(e, "type of a site", i, "there is no such node");
		if (!t->name || !*t->name || t->certain > 1 || t->how >= PD_HOWS)
			return wrong(e, "type of a site", i, "it makes no sense");
		if (i && (t->node < t[-1].node ||
			  (t->node == t[-1].node && strcmp(t[-1].name, t->name) >= 0)))
			return wrong(e, "type of a site", i, "it is out of order");
		if (i && t->node == t[-1].node && (t->certain || t[-1].certain))
			return wrong(e, "type of a site", i, "it is not the only one");
	}
	return 0;
}

static bool type_in_order(const struct pd_type *a, const struct pd_type *b)
{
	if (a->size != b->size)
		return a->size < b->size;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return strcmp(a->name, b->name) < 0;
}

static int by_size_and_name(const void *x, const void *y)
{
	const struct pd_type *a = *(const struct pd_type *const *)x;
	const struct pd_type *b = *(const struct pd_type *const *)y;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Types of one size and name but different ranks are not neighbours, so compare names again. */
static int check_names_differ(const struct profile_data *d, struct error *e)
{
	const struct pd_type **sorted = calloc(d->n_types + 1, sizeof *sorted);
	int err = 0;

	if (!sorted)
		return error_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < d->n_types; i++)
		sorted[i] = &d->types[i];
	qsort(sorted, d->n_types, sizeof(struct pd_type *), by_size_and_name);
	for (size_t i = 1; !err && i < d->n_types; i++)
		if (!by_size_and_name(&sorted[i - 1], &sorted[i]))
			err = wrong(e, "type", (size_t)(sorted[i] - d->types),
				    "its name is there twice");
	free(sorted);
	return err;
}

static int check_types(const struct profile_data *d, struct error *e)
{
	for (size_t i = 0; i < d->n_types; i++) {
		if (!d->types[i].name)
			return wrong(e, "type", i, "it has no name");
		if (i && !type_in_order(&d->types[i - 1], &d->types[i]))
			return wrong(e, "type", i, "it is out of order");
	}
	return check_names_differ(d, e);
}

static int check_session(const struct profile_data *d, struct error *e)
{
	if (d->engines & ~(PD_ENGINE_TRAP | PD_ENGINE_FAST | PD_ENGINE_UNTOLD))
		return error_set(e, -EUCLEAN, "there are no such engines as 0x%" PRIx32,
				 d->engines);
	if (d->from > PD_FROM_ATTACH)
		return error_set(e, -EUCLEAN, "there is no such beginning as %" PRIu32, d->from);
	return 0;
}

int datafile_check(const struct profile_data *d, struct error *e)
{
	int err = check_functions(d, e);

	if (!err)
		err = check_session(d, e);
	if (!err)
		err = check_nodes(d, e);
	if (!err)
		err = check_leaves(d, e);
	if (!err)
		err = check_lifetimes(d, e);
	if (!err)
		err = check_windows(d, e);
	if (!err)
		err = check_site_types(d, e);
	if (!err)
		err = check_survivors(d, e);
	if (!err)
		err = check_points(d, e);
	if (!err)
		err = datafile_check_series(d, e);
	if (!err)
		err = check_before(d, e);
	if (!err)
		err = check_rss(d, e);
	if (!err)
		err = check_reach(d, e);
	if (!err)
		err = check_types(d, e);
	return err;
}
