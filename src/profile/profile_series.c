/* SPDX-License-Identifier: BSD-2-Clause */
/* The points of a profile's series, and what they have come to. */
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

/* Room for the sum of each place, all 0. */
static uint64_t *cleared_sums(struct profile *p)
{
	struct series *s = &p->series;

	if (s->cap_sums < p->n_places) {
		uint64_t *more = realloc(s->sums, p->cap_places * sizeof *more);

		if (!more)
			return NULL;
		s->sums = more;
		s->cap_sums = p->cap_places;
	}
	if (p->n_places)
		memset(s->sums, 0, p->n_places * sizeof *s->sums);
	return s->sums;
}

void profile_series_point(struct profile *p)
{
	struct series_point now = {
		.time_ns = p->load.end_ns,
		.live_bytes = p->live_bytes,
		.live_blocks = p->totals.allocs - p->totals.frees,
		.allocs = p->totals.allocs,
	};
	const struct windows *w = &p->windows;
	const size_t looked_at = w->n_sites + p->n_places;

	if (!series_affords(&p->series, now.time_ns, looked_at))
		return;
	uint64_t *sums = cleared_sums(p);

	for (size_t i = 0; sums && i < w->n_sites; i++)
		if (w->sites[i].bytes && w->sites[i].node >= PD_FIRST_NODE)
			sums[p->nodes[w->sites[i].node].frame] += w->sites[i].bytes;
	if (sums)
		now.n = series_heaviest(sums, p->n_places, now.shares);
	p->series.spent_ns += looked_at * SERIES_NODE_NS;
	/* Without memory there are fewer points, and all is in the rest. */
	if (series_add(&p->series, &now))
		p->series.due_ns = now.time_ns + 1;
}

void profile_keep_series(struct profile *p, unsigned points)
{
	unsigned max = !points			? 0
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
			(struct pd_held){(uint32_t)k->n, at->shares[i].place, at->shares[i].bytes};
	}
	k->points[k->n++] =
		(struct pd_series_point){at->time_ns > begin ? at->time_ns - begin : 0,
					 at->live_bytes, at->live_blocks, at->allocs, peak};
	return 0;
}

/* A moment whose blocks are still known by leaf: the peak, or what is live now. */
static int make_point(const struct profile *p, bool peak, struct series_point *at)
{
	uint64_t *sums = calloc(p->n_places + 1, sizeof *sums);

	*at = (struct series_point){
		.time_ns = peak ? p->series.peak_ns : p->load.end_ns,
		.live_bytes = peak ? p->totals.peak_bytes : p->live_bytes,
		.allocs = peak ? p->series.peak_allocs : p->totals.allocs,
	};
	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_leaves; i++) {
		const struct call_leaf *l = &p->leaves[i];
		uint64_t blocks = peak ? profile_leaf_at_peak(p, l) : l->allocs - l->frees;

		at->live_blocks += blocks;
		if (l->node >= PD_FIRST_NODE)
			sums[p->nodes[l->node].frame] += blocks * l->size;
	}
	at->n = series_heaviest(sums, p->n_places, at->shares);
	free(sums);
	return 0;
}

static bool is_same(const struct series_point *a, const struct series_point *b)
{
	return a->time_ns == b->time_ns && a->allocs == b->allocs &&
	       a->live_bytes == b->live_bytes && a->live_blocks == b->live_blocks;
}

/* The peak has its place among the points by how much had been requested, for several events may
 * have the same time. */
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

/* The end is a point unless the last one tells the same. */
static int list_end(struct listing *l)
{
	const struct kept_series *k = l->out;
	const struct pd_series_point *last = k->n ? &k->points[k->n - 1] : NULL;
	struct series_point end;
	int err = make_point(l->p, false, &end);

	if (err || (last && last->time_ns == end.time_ns - l->p->load.begin_ns &&
		    last->live_blocks == end.live_blocks && last->allocs == end.allocs))
		return err;
	return list_point(l, &end, 0);
}

static int list(const struct profile *p, struct kept_series *out)
{
	struct listing l = {.p = p, .out = out};
	struct series_point peak;
	int err = 0;

	*out = (struct kept_series){0};
	if (!p->series.max || !p->load.begin_ns)
		return 0;
	err = make_point(p, true, &peak);
	if (!err)
		err = list_points(&l, &peak);
	return err ? err : list_end(&l);
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
