/* SPDX-License-Identifier: BSD-2-Clause */
/* Which blocks on a process's heap can still be reached: sums of classes, and lost blocks by path
 * or by size. */
#include "report/lost.h"

#include "naming/where.h"
#include "report/row.h"
#include "report/tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- classes ---- */

enum { NAME = 15, NUMBER = 27, BYTES = 46, LIST_MAX = 20 };

static void begin_class(struct row *row, const char *name, struct heap_sum sum)
{
	row_left(row, 1, NAME, name);
	row_number(row, NAME + 1, NUMBER, sum.n);
	row_append(row, sum.n == 1 ? " block" : " blocks");
	row_number(row, NUMBER + 8, BYTES, sum.bytes);
	row_append(row, sum.bytes == 1 ? " byte" : " bytes");
}

static void append_sum(struct row *row, struct heap_sum sum)
{
	row_append_number(row, sum.n);
	row_append(row, sum.n == 1 ? " block " : " blocks ");
	row_append_number(row, sum.bytes);
	row_append(row, sum.bytes == 1 ? " byte" : " bytes");
}

/* The blocks that are reachable by idioms, without a pointer to their start; by kind. */
static void append_idioms(struct row *row, const struct reach *r)
{
	uint64_t sums[N_REACH_IDIOMS] = {0}, all = 0;
	const char *between = " (";

	for (size_t i = 0; i < r->n_idioms; i++) {
		sums[r->idioms[i].kind] += r->idioms[i].blocks;
		all += r->idioms[i].blocks;
	}
	if (!all)
		return;
	row_append(row, "    of them ");
	row_append_number(row, all);
	row_append(row, " by idioms");
	for (int i = IDIOM_NONE + 1; i < N_REACH_IDIOMS; i++) {
		if (!sums[i])
			continue;
		row_append(row, between);
		row_append(row, reach_idiom_names[i]);
		row_append(row, ": ");
		row_append_number(row, sums[i]);
		between = ", ";
	}
	row_append(row, ")");
}

static void print_classes(struct row *row, const struct lost_report *r)
{
	const struct heap_sum *sums = r->reach->sums;

	begin_class(row, "lost directly", sums[REACH_LOST]);
	row_append(row, "    and through them ");
	append_sum(row, sums[REACH_LOST_THROUGH]);
	row_end(row);
	begin_class(row, "possible", sums[REACH_POSSIBLE]);
	row_end(row);
	begin_class(row, "reachable", sums[REACH_REACHABLE]);
	append_idioms(row, r->reach);
	row_end(row);
}

/* ---- rows ---- */

enum {
	ROW_BYTES = 15,
	ROW_BLOCKS = 26,
	THROUGH_BYTES = 41,
	THROUGH_BLOCKS = 52,
	OLDEST = 62,
	REQUESTED_BY = 66
};

static void begin_row(struct row *row, struct heap_sum blocks, const struct heap_sum *through)
{
	row_number(row, 1, ROW_BYTES, blocks.bytes);
	row_number(row, ROW_BYTES + 1, ROW_BLOCKS, blocks.n);
	if (!through)
		return;
	row_number(row, ROW_BLOCKS + 1, THROUGH_BYTES, through->bytes);
	row_number(row, THROUGH_BYTES + 1, THROUGH_BLOCKS, through->n);
}

static void print_row(struct row *row, const struct lost_row *v, const char *what, bool through)
{
	begin_row(row, v->blocks, through ? &v->through : NULL);
	row_append(row, "   ");
	row_append(row, what);
	row_end(row);
}

/* The first headings; the caller adds the others and ends the line. */
static void begin_heading(struct row *row, const char *bytes, bool through)
{
	row_end(row);
	row_right(row, 1, ROW_BYTES, bytes);
	row_right(row, ROW_BYTES + 1, ROW_BLOCKS, "blocks");
	if (through) {
		row_right(row, ROW_BLOCKS + 1, THROUGH_BYTES, "through them");
		row_right(row, THROUGH_BYTES + 1, THROUGH_BLOCKS, "blocks");
	}
}

/* ---- sizes ---- */

static void print_rows(struct row *row, const struct lost_row *v, size_t n, size_t shown,
		       bool through)
{
	struct lost_row others = {0};
	char what[64];

	for (size_t i = 0; i < n; i++) {
		if (i < shown) {
			snprintf(what, sizeof what, "%" PRIu64 " usable", v[i].usable);
			print_row(row, &v[i], what, through);
			continue;
		}
		heap_sum_add(&others.blocks, v[i].blocks);
		heap_sum_add(&others.through, v[i].through);
	}
	if (n <= shown)
		return;
	snprintf(what, sizeof what, "%zu other sizes", n - shown);
	print_row(row, &others, what, through);
}

/* @each: the heading of the last column. */
static int print_list(struct row *row, const struct lost_report *r, enum lost_group group,
		      const char *each)
{
	bool through = group != LOST_POSSIBLE;
	size_t n;
	int err;
	struct lost_row *v = lost_rows(r, group, &n, &err);

	if (n) {
		begin_heading(row, through ? "lost bytes" : "possible bytes", through);
		row_append(row, each);
		row_end(row);
		print_rows(row, v, n, r->heap.all_sizes ? n : LIST_MAX, through);
	}
	free(v);
	return err;
}

/* ---- paths ---- */

/* "51 s", "12 min", "3 h", "2 d" */
static void put_age(struct row *row, uint64_t ns)
{
	static const struct {
		uint64_t seconds;
		const char *name;
	} units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
	uint64_t seconds = ns / 1000000000;
	char text[32];
	size_t i = 0;

	while (i < 3 && seconds < 2 * units[i].seconds)
		i++;
	snprintf(text, sizeof text, "%" PRIu64 " %s", seconds / units[i].seconds, units[i].name);
	row_right(row, THROUGH_BLOCKS + 1, OLDEST, text);
}

/* "row_new (rows.c:7): struct row". 0 or -ENOMEM. */
static int append_where(struct row *row, const struct profile_data *d, const struct lost_paths *p,
			const struct lost_path *v)
{
	char *where = where_text(d, v->site);
	struct pd_types_seen seen;
	char *types = leaks_site_types(d, &p->leaks, v->path, &seen) ? NULL
								     : pd_types_seen_text(&seen);
	int err = where && types ? 0 : -ENOMEM;

	row_append_name(row, where ? where : "");
	if (!v->own)
		row_append(row, ", in no code of the program's own");
	if (!err && *types) {
		row_append(row, ": ");
		row_append_name(row, types);
	}
	pd_types_seen_release(&seen);
	free(where);
	free(types);
	return err;
}

/* The place to look at, and below it the path to it. 0 or -ENOMEM. */
static int print_path(struct row *row, const struct lost_report *r, const struct lost_paths *p,
		      const struct lost_path *v)
{
	/* Several paths may go through the same functions: lines tell them apart. */
	static const struct report_options with_lines = {.leaks = REPORT_LEAKS, .lines = true};
	const struct profile_data *d = r->requests->d;

	begin_row(row, v->blocks, &v->through);
	put_age(row, v->oldest_ns);
	row_move(row, REQUESTED_BY);
	int err = append_where(row, d, p, v);
	row_end(row);
	row_move(row, REQUESTED_BY + 2);
	tables_append_path(row, d, &p->leaks, v->path, &with_lines);
	row_end(row);
	return err;
}

static void print_other_paths(struct row *row, const struct lost_path *v, size_t n)
{
	struct lost_row others = {0};
	char what[64];

	for (size_t i = 0; i < n; i++) {
		heap_sum_add(&others.blocks, v[i].blocks);
		heap_sum_add(&others.through, v[i].through);
	}
	begin_row(row, others.blocks, &others.through);
	row_move(row, REQUESTED_BY);
	snprintf(what, sizeof what, "%zu other paths", n);
	row_append(row, what);
	row_end(row);
}

static int print_paths(struct row *row, const struct lost_report *r)
{
	struct lost_paths p;
	int err = lost_paths_collect(r->requests, r->reach, r->blocks, LEAKS_BY_LINE, &p);
	size_t shown = r->heap.all_sizes || p.n < LIST_MAX ? p.n : LIST_MAX;

	if (!err && p.n) {
		begin_heading(row, "lost bytes", true);
		row_right(row, THROUGH_BLOCKS + 1, OLDEST, "oldest");
		row_move(row, REQUESTED_BY);
		row_append(row, "requested by");
		row_end(row);
	}
	for (size_t i = 0; !err && i < shown; i++)
		err = print_path(row, r, &p, &p.v[i]);
	if (!err && shown < p.n)
		print_other_paths(row, p.v + shown, p.n - shown);
	lost_paths_release(&p);
	return err;
}

/* ---- all ---- */

/* By path if it is known, else by size. 0 or -ENOMEM. */
static int print_lost(struct row *row, const struct lost_report *r)
{
	if (!r->requests)
		return print_list(row, r, LOST_UNKNOWN, "   each");
	int err = print_paths(row, r);

	if (!err)
		err = print_list(row, r, LOST_BEFORE, "   each, from before the session");
	if (!err)
		err = print_list(row, r, LOST_UNKNOWN, "   each, requested by nobody knows whom");
	return err;
}

int report_lost(const struct lost_report *r, FILE *out)
{
	struct row row;

	report_look(&r->heap.facts, "", out);
	fprintf(out, "; %zu blocks", r->blocks->n);
	/* In a copy of a running program some checks always fail. */
	if (r->passes > 1)
		fprintf(out, "\nlost was seen in all of %u passes\n", r->passes);
	else
		report_checks(r->heap.walk, out);
	row_init(&row, out);
	print_classes(&row, r);
	int err = print_lost(&row, r);
	if (!err && r->lists_possible)
		err = print_list(&row, r, LOST_POSSIBLE, "   each");
	int failed = row_release(&row);
	if (r->advises)
		fprintf(out,
			"\n'mprof attach --before=walk %d' and, later, 'mprof leaks %d' tell who "
			"requests what is lost from then on\n",
			(int)r->heap.facts.pid, (int)r->heap.facts.pid);
	return err ? err : failed;
}
