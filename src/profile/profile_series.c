/* SPDX-License-Identifier: BSD-2-Clause */
/* The points of a profile's series, while events come and at the end. */
#include "profile/profile_internal.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void kept_series_release(struct kept_series *k)
{
	free(k->points);
	free(k->held);
	*k = (struct kept_series){0};
}

/* ---- while events come ---- */

/* Bytes held by each end, and the last node found that holds some of them. */
struct end_sums {
	uint64_t *bytes;
	uint32_t *nodes;
};

static void sums_release(struct end_sums *s)
{
	free(s->bytes);
	free(s->nodes);
}

static int sums_init(struct end_sums *s, const struct chain_ends *ends)
{
	s->bytes = calloc(ends->n + 1, sizeof *s->bytes);
	s->nodes = malloc((ends->n + 1) * sizeof *s->nodes);
	return s->bytes && s->nodes ? 0 : -ENOMEM;
}

static void sums_add(struct end_sums *s, const struct chain_ends *ends, size_t site, uint32_t node,
		     uint64_t bytes)
{
	/* A root is no chain; a site whose end did not fit into memory goes to the rest. */
	if (!bytes || node < PD_FIRST_NODE || site >= ends->n_of)
		return;
	s->bytes[ends->of[site]] += bytes;
	s->nodes[ends->of[site]] = node;
}

static unsigned sums_heaviest(const struct end_sums *s, const struct chain_ends *ends,
			      struct series_share *shares)
{
	unsigned n = series_heaviest(s->bytes, ends->n, shares);

	for (unsigned i = 0; i < n; i++)
		shares[i].node = s->nodes[shares[i].node];
	return n;
}

/* The heaviest ends now. Without memory there are none: everything is in the rest. */
static unsigned shares_now(struct profile *p, struct series_share *shares)
{
	const struct windows *w = &p->windows;
	struct chain_ends *ends = &p->series.ends;
	struct end_sums sums;
	unsigned n = 0;

	chain_ends_update(ends, p);
	if (!sums_init(&sums, ends)) {
		for (size_t i = 0; i < w->n_sites; i++)
			sums_add(&sums, ends, i, w->sites[i].node, w->sites[i].bytes);
		n = sums_heaviest(&sums, ends, shares);
	}
	sums_release(&sums);
	return n;
}

/* The number of nodes that taking a point visits. */
static size_t looked_at(const struct profile *p)
{
	const struct chain_ends *ends = &p->series.ends;
	const size_t sites = p->windows.n_sites;

	return sites + ends->n + (sites - ends->n_of) * CHAIN_END;
}

/* 0 or -ENOMEM */
static int take_point(struct profile *p, bool spike)
{
	struct series_share shares[SERIES_SHARES];
	struct series_point now = {
		.time_ns = p->load.end_ns,
		.live_bytes = p->live_bytes,
		.live_blocks = p->totals.allocs - p->totals.frees,
		.allocs = p->totals.allocs,
		.spike = spike,
		.shares = shares,
	};

	p->series.spent_ns += looked_at(p) * SERIES_NODE_NS;
	now.n = shares_now(p, shares);
	return series_add(&p->series, &now);
}

void profile_series_point(struct profile *p)
{
	const uint64_t now = p->load.end_ns;

	/* Without memory the point is left out. */
	if (series_affords(&p->series, now, looked_at(p)) && take_point(p, false))
		p->series.due_ns = now + 1;
}

void profile_series_spike(struct profile *p)
{
	if (series_affords_spike(&p->series, p->load.end_ns, looked_at(p)))
		take_point(p, true);
}

void profile_keep_series(struct profile *p, unsigned points)
{
	unsigned max = !points || p->spared.timeline ? 0
		       : points < SERIES_LEAST	? SERIES_LEAST
		       : points > SERIES_POINTS ? SERIES_POINTS
						: points;

	if (p->series.max == max)
		return;
	series_release(&p->series);
	series_init(&p->series, max);
	if (max && p->load.begin_ns)
		profile_series_point(p);
}

/* ---- what there is at the end ---- */

struct listing {
	const struct profile *p;
	struct kept_series *out;
	size_t cap_points, cap_held;
	struct chain_ends ends; /* of all chains so far */
};

static int list_point(struct listing *l, const struct series_point *at, uint8_t peak)
{
	struct kept_series *k = l->out;
	uint64_t begin = l->p->load.begin_ns;

	if (ARRAY_RESERVE(&k->points, &l->cap_points, k->n))
		return -ENOMEM;
	for (unsigned i = 0; i < at->n; i++) {
		if (ARRAY_RESERVE(&k->held, &l->cap_held, k->n_held))
			return -ENOMEM;
		k->held[k->n_held++] =
			(struct pd_held){(uint32_t)k->n, at->shares[i].node, at->shares[i].bytes};
	}
	k->points[k->n++] =
		(struct pd_series_point){at->time_ns > begin ? at->time_ns - begin : 0,
					 at->live_bytes, at->live_blocks, at->allocs, peak};
	return 0;
}

/* A point whose blocks are still known by leaf: the peak, or the present. */
static int make_point(const struct profile *p, const struct chain_ends *ends, bool peak,
		      struct series_point *at)
{
	struct end_sums sums;
	int err = sums_init(&sums, ends);

	at->time_ns = peak ? p->series.peak_ns : p->load.end_ns;
	at->live_bytes = peak ? p->totals.peak_bytes : p->live_bytes;
	at->allocs = peak ? p->series.peak_allocs : p->totals.allocs;
	at->live_blocks = 0;
	for (size_t i = 0; !err && i < p->n_leaves; i++) {
		const struct call_leaf *l = &p->leaves[i];
		uint64_t blocks = peak ? profile_leaf_at_peak(p, l) : l->allocs - l->frees;

		at->live_blocks += blocks;
		sums_add(&sums, ends, l->site, l->node, blocks * l->size);
	}
	if (!err)
		at->n = sums_heaviest(&sums, ends, at->shares);
	sums_release(&sums);
	return err;
}

static bool is_same(const struct series_point *a, const struct series_point *b)
{
	return a->time_ns == b->time_ns && a->allocs == b->allocs &&
	       a->live_bytes == b->live_bytes && a->live_blocks == b->live_blocks;
}

/* The peak is inserted by the number of requests so far, as several events may have the same
 * time. */
static int list_points(struct listing *l, const struct series_point *peak)
{
	const struct series *s = &l->p->series;
	bool due = peak->live_bytes;
	int err = 0;

	for (size_t i = 0; !err && i < s->n; i++) {
		bool is_peak = due && is_same(&s->points[i], peak);

		if (due && !is_peak && s->points[i].allocs >= peak->allocs) {
			err = list_point(l, peak, 1);
			due = false;
		}
		if (!err)
			err = list_point(l, &s->points[i], is_peak);
		due &= !is_peak;
	}
	return !err && due ? list_point(l, peak, 1) : err;
}

/* The present is a point unless it is the same as the last one. */
static int list_end(struct listing *l)
{
	const struct kept_series *k = l->out;
	const struct pd_series_point *last = k->n ? &k->points[k->n - 1] : NULL;
	struct series_share shares[SERIES_SHARES];
	struct series_point end = {.shares = shares};
	int err = make_point(l->p, &l->ends, false, &end);

	if (err || (last && last->time_ns == end.time_ns - l->p->load.begin_ns &&
		    last->live_blocks == end.live_blocks && last->allocs == end.allocs))
		return err;
	return list_point(l, &end, 0);
}

static int list(const struct profile *p, struct kept_series *out)
{
	struct listing l = {.p = p, .out = out};
	struct series_share shares[SERIES_SHARES];
	struct series_point peak = {.shares = shares};
	int err = 0;

	*out = (struct kept_series){.depth = CHAIN_END};
	if (!p->series.max || !p->load.begin_ns)
		return 0;
	err = chain_ends_update(&l.ends, p);
	if (!err)
		err = make_point(p, &l.ends, true, &peak);
	if (!err)
		err = list_points(&l, &peak);
	if (!err)
		err = list_end(&l);
	chain_ends_release(&l.ends);
	return err;
}

static int copy(const struct kept_series *from, struct kept_series *out)
{
	*out = *from;
	out->points = calloc(from->n + 1, sizeof *out->points);
	out->held = calloc(from->n_held + 1, sizeof *out->held);
	if (!out->points || !out->held)
		return -ENOMEM;
	if (from->n)
		memcpy(out->points, from->points, from->n * sizeof *out->points);
	if (from->n_held)
		memcpy(out->held, from->held, from->n_held * sizeof *out->held);
	return 0;
}

int profile_list_series(const struct profile *p, struct kept_series *out)
{
	int err = p->finished ? copy(&p->kept_series, out) : list(p, out);

	if (err)
		kept_series_release(out);
	return err;
}
