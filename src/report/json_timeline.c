/* SPDX-License-Identifier: BSD-2-Clause */
/* What was live over time, by call site if that is known. */
#include "report/json.h"

#include "base/jsontext.h"
#include "profile/chain_ends.h"
#include "profile/own_code.h"
#include "profile/pd_names.h"
#include "profile/pd_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* At least so many ends of chains have a share in each point, in files of all versions. */
enum { ENDS_NOTED = 40 };

/* The points of a profile's series; of one without, up to as many points of its timeline. */
struct moments {
	struct pd_series_point points[PD_SERIES_POINTS];
	size_t n;
	bool has_allocs;
	struct pd_series_sites sites;
	uint64_t *bytes; /* by point: those of each site, then the rest */
	bool exact[PD_SERIES_POINTS]; /* true: the sites held exactly that; false: at least that */
};

static void take_timeline(const struct profile_data *d, struct moments *m)
{
	const struct pd_point *peak = profile_data_peak(d);
	size_t at[PD_SERIES_POINTS];

	m->n = pd_series_pick(d->n_points, PD_SERIES_POINTS,
			      peak ? (size_t)(peak - d->points) : SIZE_MAX, at);
	for (size_t i = 0; i < m->n; i++) {
		const struct pd_point *p = &d->points[at[i]];

		m->points[i] = (struct pd_series_point){p->time_ns, p->live_bytes, p->live_blocks,
							0, p->peak};
	}
}

/* ---- moments whose blocks are all known by leaf: the peak and the end ---- */

enum moment { AT_PEAK, AT_END };

static uint64_t bytes_of(const struct pd_leaf *l, enum moment at)
{
	return (at == AT_PEAK ? l->at_peak : l->allocs - l->frees) * l->size;
}

/* The column that requests at a node belong to, chosen as for the series: that of the innermost
 * @own site in the end of the chain, or else of the innermost site. */
static uint32_t column_of(const struct profile_data *d, const struct moments *m, const bool *own,
			  uint32_t node)
{
	uint32_t innermost = d->nodes[node].site;

	if (innermost == PD_NONE)
		return PD_NONE;
	for (unsigned places = 0; places < CHAIN_END && d->nodes[node].site != PD_NONE;) {
		uint32_t site = d->nodes[node].site;

		if (own[site])
			return m->sites.of[site];
		places += !d->sites[site].inlined;
		node = d->nodes[node].parent;
	}
	return m->sites.of[innermost];
}

/* Replaces the shares of a point by what the leaves hold; unless they do not add up to its live
 * bytes, as blocks hidden by a pause are counted in only one of the two. */
static void put_all_known(const struct profile_data *d, struct moments *m, const bool *own,
			  size_t point, enum moment at)
{
	size_t rest = m->sites.n;
	uint64_t *row = m->bytes + point * (rest + 1), sum = 0;

	for (size_t i = 0; i < d->n_leaves; i++)
		sum += bytes_of(&d->leaves[i], at);
	if (sum != m->points[point].live_bytes)
		return;
	memset(row, 0, (rest + 1) * sizeof *row);
	for (size_t i = 0; i < d->n_leaves; i++) {
		uint64_t bytes = bytes_of(&d->leaves[i], at);
		uint32_t site = bytes ? column_of(d, m, own, d->leaves[i].node) : PD_NONE;

		row[site == PD_NONE ? rest : site] += bytes;
	}
	m->exact[point] = true;
}

/* A point is exact, too, if its rest is empty, or if there are so few ends that none was left out.
 * How many ends there were of chains that have been folded is not known. */
static void find_exact(const struct profile_data *d, struct moments *m)
{
	size_t ends = 0;

	for (size_t i = 0; i < d->n_leaves; i++)
		ends += !i || d->leaves[i].node != d->leaves[i - 1].node;
	const bool few = ends <= ENDS_NOTED && !d->is_folded;

	for (size_t i = 0; i < m->n; i++)
		m->exact[i] = few || !m->bytes[i * (m->sites.n + 1) + m->sites.n];
}

static int take_known(const struct profile_data *d, struct moments *m)
{
	find_exact(d, m);
	/* With folded chains other sites would hold the bytes than at the points beside. */
	if (!m->sites.n || d->is_folded)
		return 0;
	bool *own = own_code_holders(d, NULL);

	if (!own)
		return -ENOMEM;
	for (size_t i = 0; i < m->n; i++)
		if (m->points[i].peak)
			put_all_known(d, m, own, i, AT_PEAK);
	put_all_known(d, m, own, m->n - 1, AT_END);
	free(own);
	return 0;
}

/* ---- all ---- */

static int take(const struct profile_data *d, struct moments *m)
{
	*m = (struct moments){.n = d->n_series, .has_allocs = d->n_series};
	int err = pd_series_sites(d, &m->sites);
	size_t columns = m->sites.n + 1;

	for (size_t i = 0; i < m->n; i++)
		m->points[i] = d->series[i];
	if (!m->n)
		take_timeline(d, m);
	m->bytes = calloc(m->n * columns + 1, sizeof *m->bytes);
	if (err || !m->bytes)
		return -ENOMEM;
	for (size_t i = 0; i < m->n; i++)
		m->bytes[i * columns + m->sites.n] = m->points[i].live_bytes;
	for (size_t i = 0; i < d->n_held; i++) {
		const struct pd_held *h = &d->held[i];
		uint32_t site = m->sites.of[h->site];

		if (site == PD_NONE)
			continue;
		m->bytes[h->point * columns + site] += h->bytes;
		m->bytes[h->point * columns + m->sites.n] -= h->bytes;
	}
	return m->n ? take_known(d, m) : 0;
}

/* One number of each point: @first, and those at distances of @stride bytes. */
static json_t *numbers(const struct moments *m, const uint64_t *first, size_t stride)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < m->n; i++) {
		const uint64_t *at = (const void *)((const char *)first + i * stride);

		if (json_array_append_new(list, json_out_num(*at))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *column(const struct moments *m, size_t site)
{
	return numbers(m, m->bytes + site, (m->sites.n + 1) * sizeof *m->bytes);
}

static json_t *peak_of(const struct moments *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->points[i].peak)
			return json_integer((json_int_t)i);
	return json_null();
}

static json_t *sites(const struct profile_data *d, const struct moments *m)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < m->sites.n; i++) {
		const struct pd_site *s = &d->sites[m->sites.sites[i]];
		json_t *one = json_pack(
			"{so so so so}", "function", json_text(names_text(d, s->function)), "file",
			json_text(s->file), "line", json_out_num(s->line), "bytes", column(m, i));

		if (json_array_append_new(list, one)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *exact(const struct moments *m)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < m->n; i++) {
		if (json_array_append_new(list, json_boolean(m->exact[i]))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

#define MEMBER_OF(m, member) numbers(m, &(m)->points[0].member, sizeof *(m)->points)

static json_t *timeline(const struct profile_data *d, const struct moments *m)
{
	json_t *allocs = m->has_allocs ? MEMBER_OF(m, allocs) : json_null();

	return json_pack("{so so so so so so so so}", "time_ns", MEMBER_OF(m, time_ns),
			 "live_bytes", MEMBER_OF(m, live_bytes), "live_blocks",
			 MEMBER_OF(m, live_blocks), "allocs", allocs, "peak",
			 peak_of(m), "sites", sites(d, m), "rest", column(m, m->sites.n),
			 "exact", exact(m));
}

void json_timeline(struct json_out *o, const struct profile_data *d)
{
	struct moments m;

	/* The sums of each moment would still contain what was left out. */
	if (d->is_part) {
		json_out_member(o, "timeline", json_null());
		return;
	}
	int err = take(d, &m);

	if (err)
		json_out_fail(o, err);
	else
		json_out_member(o, "timeline", m.n ? timeline(d, &m) : json_null());
	pd_series_sites_release(&m.sites);
	free(m.bytes);
}
