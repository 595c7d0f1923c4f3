/* SPDX-License-Identifier: BSD-2-Clause */
/* Table 5, on demand: how long freed blocks lived. */
#include "report/lifetimes.h"
#include "profile/pd_names.h"
#include "report/percent.h"
#include "report/tables.h"

#include <inttypes.h>

static const char title[] = "---------  Lifetime Table ------------";

static const char heading[] =
"                           | lifetime in events        | lifetime in time          |\n"
"     frees  temporary (%)  |   least     half     most |   least     half     most |   name\n"
"\n";

enum { LEAST, HALF, MOST };

/* The lower end of a bucket, or its upper end. */
static uint64_t end_of(unsigned bucket, bool lower)
{
	if (lower)
		return bucket ? UINT64_C(1) << bucket : 0;
	return bucket < 63 ? UINT64_C(2) << bucket : UINT64_MAX;
}

static void print_events(struct row *r, size_t last, uint64_t n, bool lower)
{
	char text[32];

	snprintf(text, sizeof text, "%s%" PRIu64, lower ? "" : "<", n);
	row_right(r, last - 8, last, text);
}

static void print_ns(struct row *r, size_t last, uint64_t ns, bool lower)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	const char *less = lower ? "" : "<";
	uint64_t thousandth = 0;
	unsigned unit = 0;
	char text[32];

	for (; ns >= 1000 && unit < 3; unit++) {
		thousandth = ns % 1000;
		ns /= 1000;
	}
	if (ns < 10 && unit)
		snprintf(text, sizeof text, "%s%" PRIu64 ".%" PRIu64 "%s", less, ns,
			 thousandth / 100, units[unit]);
	else
		snprintf(text, sizeof text, "%s%" PRIu64 "%s", less, ns, units[unit]);
	row_right(r, last - 8, last, text);
}

static void print_axis(struct row *r, size_t first, const struct site_lifetimes *s, uint8_t axis,
		       uint32_t engines)
{
	for (int part = LEAST; part <= MOST; part++) {
		bool lower = part == LEAST && pd_life_has_least(engines, axis);
		uint64_t n = end_of(lifetimes_part(s->blocks[axis], part), lower);
		size_t last = first + 7 + (size_t)part * 9;

		if (axis == PD_LIFE_NS)
			print_ns(r, last, n, lower);
		else
			print_events(r, last, n, lower);
	}
	row_left(r, first + 27, first + 27, "|");
}

static void print_row(struct row *r, const struct profile_data *d, const struct site_lifetimes *s)
{
	char percent[PERCENT_BRACKETS];

	row_number(r, 1, 10, s->frees);
	row_number(r, 12, 21, s->temporary);
	percent_brackets(percent, s->temporary, s->frees);
	row_left(r, 23, 26, percent);
	row_left(r, 28, 28, "|");
	print_axis(r, 29, s, PD_LIFE_EVENTS, d->engines);
	print_axis(r, 57, s, PD_LIFE_NS, d->engines);
	row_move(r, 88);
	tables_append_requester(r, d, names_function(d, s->site), s->site);
	row_end(r);
}

/* As in the table of leaks, by shares of all frees. */
static bool is_shown(const struct site_lifetimes *s, const struct lifetimes_table *t,
		     enum report_level level)
{
	unsigned per_mille = level == REPORT_VERBOSE ? 0 : level == REPORT_NORMAL ? 5 : 10;

	return (unsigned __int128)s->frees * 1000 >= (unsigned __int128)t->frees * per_mille;
}

int tables_lifetimes(struct row *r, const struct profile_data *d, const uint32_t *rank,
		     enum report_level level)
{
	struct lifetimes_table t;
	int err = lifetimes_collect(d, rank, &t);

	if (!err) {
		row_title(r, title);
		row_lines(r, heading);
		for (size_t i = 0; i < t.n; i++)
			if (is_shown(t.rows[i], &t, level))
				print_row(r, d, t.rows[i]);
		row_lines(r, "\n\f\n\n");
	}
	lifetimes_table_release(&t);
	return err;
}
