/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a data file on what call sites held over the time. */
#include "profile/datafile_check.h"
#include "profile/datafile_put.h"
#include "profile/datafile_rows.h"

#include <errno.h>
#include <inttypes.h>

static void put_points(struct put *p, const struct profile_data *d)
{
	put_begin(p, "series", 6, d->n_series);
	for (size_t i = 0; i < d->n_series && p->rc == SQLITE_OK; i++) {
		put_int(p, i);
		put_int(p, d->series[i].time_ns);
		put_int(p, d->series[i].live_bytes);
		put_int(p, d->series[i].live_blocks);
		put_int(p, d->series[i].allocs);
		put_int(p, d->series[i].peak);
		put_row(p);
	}
	put_end(p);
}

static void put_held(struct put *p, const struct profile_data *d)
{
	put_begin(p, "held", 3, d->n_held);
	for (size_t i = 0; i < d->n_held && p->rc == SQLITE_OK; i++) {
		put_int(p, d->held[i].point);
		put_int(p, d->held[i].site);
		put_int(p, d->held[i].bytes);
		put_row(p);
	}
	put_end(p);
}

void datafile_put_series(struct put *p, const struct profile_data *d)
{
	put_points(p, d);
	put_held(p, d);
}

static void get_points(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "series",
		  "SELECT id, time_ns, live_bytes, live_blocks, allocs, peak"
		  " FROM series NOT INDEXED ORDER BY id");
	while (get_row(g)) {
		struct pd_series_point *p = NEXT(g, &d->series, &cap, g->n);

		if (!p)
			break;
		d->n_series++;
		get_id(g);
		p->time_ns = get_int(g);
		p->live_bytes = get_int(g);
		p->live_blocks = get_int(g);
		p->allocs = get_int(g);
		p->peak = get_flag(g);
	}
	get_end(g);
}

static void get_held(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "held", "SELECT point, site, bytes FROM held NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_held *h = NEXT(g, &d->held, &cap, g->n);

		if (!h)
			break;
		d->n_held++;
		h->point = get_u32(g);
		h->site = get_u32(g);
		h->bytes = get_int(g);
	}
	get_end(g);
}

void datafile_get_series(struct get *g, struct profile_data *d)
{
	get_points(g, d);
	get_held(g, d);
}

/* ---- is it right? ---- */

static int wrong(struct error *e, const char *what, size_t i, const char *why)
{
	return error_set(e, -EUCLEAN, "%s %zu: %s", what, i, why);
}

static int check_points(const struct profile_data *d, struct error *e)
{
	bool peak = false;

	if (d->n_series > PD_SERIES_POINTS)
		return error_set(e, -EUCLEAN, "the series has %zu points", d->n_series);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct pd_series_point *p = &d->series[i];

		if (p->peak > 1)
			return wrong(e, "point of the series", i, "peak is neither 0 nor 1");
		if (i && (p->time_ns < p[-1].time_ns || p->allocs < p[-1].allocs))
			return wrong(e, "point of the series", i, "it is out of order");
		if (p->live_bytes > d->totals.peak_bytes)
			return wrong(e, "point of the series", i, "it is above the peak");
		if (p->allocs > d->totals.allocs || p->live_blocks > p->allocs)
			return wrong(e, "point of the series", i, "more blocks than requests");
		if (p->peak && (peak || p->live_bytes != d->totals.peak_bytes))
			return wrong(e, "point of the series", i, "it is not the peak");
		peak |= p->peak;
	}
	return 0;
}

static bool is_behind(const struct pd_held *a, const struct pd_held *b)
{
	return a->point != b->point ? a->point > b->point : a->site > b->site;
}

int datafile_check_series(const struct profile_data *d, struct error *e)
{
	int err = check_points(d, e);
	uint64_t left = 0;

	for (size_t i = 0; !err && i < d->n_held; i++) {
		const struct pd_held *h = &d->held[i];

		if (h->point >= d->n_series || h->site >= d->n_sites)
			return wrong(e, "what was held", i, "there is no such point or site");
		if (i && !is_behind(h, h - 1))
			return wrong(e, "what was held", i, "it is out of order");
		if (!i || h->point != h[-1].point)
			left = d->series[h->point].live_bytes;
		if (!h->bytes || h->bytes > left)
			return wrong(e, "what was held", i, "it is nothing, or more than was live");
		left -= h->bytes;
	}
	return err;
}
