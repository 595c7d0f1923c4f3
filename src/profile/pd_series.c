/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/pd_series.h"

#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A site that held something, and its bytes added up over all points. */
struct weight {
	uint32_t site;
	uint64_t bytes;
};

/* ---- sites that are one to the reader ---- */

static int compare_names(const struct profile_data *d, uint32_t a, uint32_t b)
{
	int c = strcmp(names_text(d, names_function(d, a)), names_text(d, names_function(d, b)));

	return c ? c : names_compare_lines(d, a, b);
}

static int by_names(const void *left, const void *right, void *d)
{
	const struct weight *a = left, *b = right;
	int c = compare_names(d, a->site, b->site);

	if (c)
		return c;
	return a->site < b->site ? -1 : a->site > b->site;
}

static int by_weight(const void *left, const void *right, void *d)
{
	const struct weight *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return by_names(left, right, d);
}

static uint64_t add_up_to_max(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Each site that held something, sorted by names; @of, all PD_NONE, is scratch space. Returns how
 * many there are. */
static size_t weigh(const struct profile_data *d, uint32_t *of, struct weight *w)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_held; i++) {
		uint32_t *at = &of[d->held[i].site];

		if (*at == PD_NONE) {
			*at = (uint32_t)n;
			w[n++] = (struct weight){.site = d->held[i].site};
		}
		w[*at].bytes = add_up_to_max(w[*at].bytes, d->held[i].bytes);
	}
	for (size_t i = 0; i < n; i++)
		of[w[i].site] = PD_NONE;
	if (n)
		qsort_r(w, n, sizeof *w, by_names, (void *)(uintptr_t)d);
	return n;
}

/* Behind @w: the first site of each name, with the weight of all of that name; heaviest first. */
static size_t join(const struct profile_data *d, struct weight *w, size_t n)
{
	struct weight *joined = w + n;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (i && !compare_names(d, w[i - 1].site, w[i].site))
			joined[kept - 1].bytes = add_up_to_max(joined[kept - 1].bytes, w[i].bytes);
		else
			joined[kept++] = w[i];
	}
	if (kept)
		qsort_r(joined, kept, sizeof *w, by_weight, (void *)(uintptr_t)d);
	return kept;
}

int pd_series_sites(const struct profile_data *d, struct pd_series_sites *s)
{
	size_t most = d->n_held < d->n_sites ? d->n_held : d->n_sites;
	struct weight *w = calloc(2 * most + 1, sizeof *w);

	*s = (struct pd_series_sites){
		.sites = calloc(PD_SERIES_SITES, sizeof *s->sites),
		.of = malloc((d->n_sites + 1) * sizeof *s->of),
	};
	if (!w || !s->sites || !s->of) {
		free(w);
		return -ENOMEM;
	}
	for (size_t i = 0; i < d->n_sites; i++)
		s->of[i] = PD_NONE;
	size_t n = weigh(d, s->of, w), joined = join(d, w, n);

	for (; s->n < joined && s->n < PD_SERIES_SITES; s->n++)
		s->sites[s->n] = w[n + s->n].site;
	for (uint32_t i = 0; i < d->n_sites; i++)
		for (uint32_t k = 0; k < s->n; k++)
			if (!compare_names(d, i, s->sites[k]))
				s->of[i] = k;
	free(w);
	return 0;
}

void pd_series_sites_release(struct pd_series_sites *s)
{
	free(s->sites);
	free(s->of);
	*s = (struct pd_series_sites){0};
}

/* ---- what is kept ---- */

static int by_point(const void *left, const void *right)
{
	const struct pd_held *a = left, *b = right;

	if (a->point != b->point)
		return a->point < b->point ? -1 : 1;
	return a->site < b->site ? -1 : a->site > b->site;
}

int pd_series_settle(struct profile_data *d)
{
	struct pd_series_sites s;
	size_t n = 0, kept = 0;
	int err = pd_series_sites(d, &s);

	for (size_t i = 0; !err && i < d->n_held; i++)
		if (s.of[d->held[i].site] != PD_NONE)
			d->held[n++] = d->held[i];
	pd_series_sites_release(&s);
	if (err)
		return err;
	if (n)
		qsort(d->held, n, sizeof *d->held, by_point);
	for (size_t i = 0; i < n; i++) {
		if (kept && !by_point(&d->held[kept - 1], &d->held[i]))
			d->held[kept - 1].bytes += d->held[i].bytes;
		else
			d->held[kept++] = d->held[i];
	}
	d->n_held = kept;
	return 0;
}

size_t pd_series_pick(size_t n, size_t max, size_t peak, size_t *at)
{
	size_t kept = 0;
	bool due = peak < n;

	if (n <= max) {
		for (; kept < n; kept++)
			at[kept] = kept;
		return kept;
	}
	/* One place is reserved for the peak, in case it is not among the others. */
	for (size_t i = 0; i + 1 < max; i++) {
		size_t next = i * (n - 1) / (max - 2);

		if (due && next >= peak) {
			if (next > peak)
				at[kept++] = peak;
			due = false;
		}
		at[kept++] = next;
	}
	return kept;
}
