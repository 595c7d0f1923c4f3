/* SPDX-License-Identifier: BSD-2-Clause */
/* What was live over the time, by call site where that is known. */
#include "report/json.h"

#include "base/jsontext.h"
#include "profile/pd_names.h"
#include "profile/pd_series.h"

#include <errno.h>
#include <stdlib.h>

/* A profile's series; or, of one that has none, as many of the points of its timeline. */
struct moments {
	struct pd_series_point points[PD_SERIES_POINTS];
	size_t n;
	bool has_allocs;
	struct pd_series_sites sites;
	uint64_t *bytes; /* of each site and of the rest, point by point */
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
	return 0;
}

/* One number of each point: @first and those @stride bytes apart. */
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

#define MEMBER_OF(m, member) numbers(m, &(m)->points[0].member, sizeof *(m)->points)

static json_t *timeline(const struct profile_data *d, const struct moments *m)
{
	return json_pack("{so so so so so so so}", "time_ns", MEMBER_OF(m, time_ns), "live_bytes",
			 MEMBER_OF(m, live_bytes), "live_blocks", MEMBER_OF(m, live_blocks),
			 "allocs", m->has_allocs ? MEMBER_OF(m, allocs) : json_null(), "peak",
			 peak_of(m), "sites", sites(d, m), "rest", column(m, m->sites.n));
}

void json_timeline(struct json_out *o, const struct profile_data *d)
{
	struct moments m;

	/* What was left out is in the sums of each moment. */
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
