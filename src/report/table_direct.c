/* SPDX-License-Identifier: BSD-2-Clause */
/* Table 3: direct allocation. */
#include "report/direct.h"
#include "profile/pd_names.h"
#include "report/percent.h"
#include "report/tables.h"

static const char title[] = "---------  Direct Allocation Table ------------";
static const char title_at_peak[] = "---------  Who requested what was live at the Peak "
				    "------------";

static const char columns[] =
	"     % mem        bytes | % mem(size) |   bytes kept |  % all kept |        calls   name\n"
	"\n"
	"---------------------------s--m--l--x-------------------s--m--l--x---------------\n"
	"\n";

static const char columns_at_peak[] =
	"     % mem        bytes | % mem(size) |   bytes live |  % all live |       blocks   name\n"
	"\n"
	"---------------------------s--m--l--x-------------------s--m--l--x---------------\n"
	"\n";

static const char labelled_columns[] =
	"     % mem        bytes | % mem(kind) |   bytes kept |  % all kept |        calls   name\n"
	"\n"
	"---------------------------c--f--s--o-------------------c--f--s--o---------------\n"
	"\n";

static const char labelled_columns_at_peak[] =
	"     % mem        bytes | % mem(kind) |   bytes live |  % all live |       blocks   name\n"
	"\n"
	"---------------------------c--f--s--o-------------------c--f--s--o---------------\n"
	"\n";

static void print_heading(struct row *r, bool labelled, bool at_peak)
{
	row_title(r, at_peak ? title_at_peak : title);
	if (labelled)
		row_lines(r, at_peak ? labelled_columns_at_peak : labelled_columns);
	else
		row_lines(r, at_peak ? columns_at_peak : columns);
}

static void print_direct(struct row *r, const struct direct_row *row,
			 const struct direct_row *total, const char *percent,
			 const struct profile_data *d)
{
	uint64_t all = sums_total(total->own.bytes), all_kept = sums_total(total->kept);
	char breakdown[PERCENT_BREAKDOWN];

	row_right(r, 3, 10, percent);
	row_number(r, 12, 23, sums_total(row->own.bytes));
	row_left(r, 25, 25, "|");
	percent_breakdown(breakdown, row->own.bytes, all);
	row_left(r, 26, 37, breakdown);
	row_left(r, 39, 39, "|");
	row_number(r, 41, 52, sums_total(row->kept));
	row_left(r, 54, 54, "|");
	percent_breakdown(breakdown, row->kept, all_kept);
	row_left(r, 55, 66, breakdown);
	row_left(r, 68, 68, "|");
	row_number(r, 70, 81, row->own.calls);
	row_move(r, 85);
	if (row == total)
		row_append(r, "<TOTAL>");
	else
		tables_append_requester(r, d, row->function, row->site);
	row_end(r);
}

int tables_direct(struct row *r, const struct profile_data *d, const uint32_t *rank,
		  const struct report_options *o)
{
	struct direct t;
	int err = direct_collect(d, rank, o->lines, &t);

	if (err)
		return err;
	print_heading(r, d->labelled, o->at_peak);
	t.total.site = PD_NONE;
	print_direct(r, &t.total, &t.total, "-----", d);
	row_end(r);
	for (size_t i = 0; i < t.n; i++) {
		char percent[PERCENT_DECIMAL];

		percent_decimal(percent, sums_total(t.rows[i].own.bytes),
				sums_total(t.total.own.bytes));
		print_direct(r, &t.rows[i], &t.total, percent, d);
	}
	row_lines(r, "\f\n\n");
	direct_release(&t);
	return 0;
}
