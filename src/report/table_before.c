/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks from before, by usable size, as nothing else is known of them. */
#include "base/text.h"
#include "report/percent.h"
#include "report/report.h"
#include "report/tables.h"

#include <inttypes.h>

static const char title[] = "---------  Blocks From Before ------------";

static const char heading[] =
	"    usable:    blocks         bytes (%)      freed   missed      left         bytes (%)\n"
	"\n";

struct gone_sums {
	uint64_t blocks, bytes, freed, missed, left, left_bytes;
};

static void add(struct gone_sums *to, const struct gone_sums *s)
{
	to->blocks += s->blocks;
	to->bytes += s->bytes;
	to->freed += s->freed;
	to->missed += s->missed;
	to->left += s->left;
	to->left_bytes += s->left_bytes;
}

static struct gone_sums sums_of(const struct pd_before_bin *b)
{
	uint64_t left = b->blocks - b->freed - b->missed;

	return (struct gone_sums){b->blocks, b->blocks * b->usable, b->freed, b->missed,
				  left,	     left * b->usable};
}

static void print_bytes(struct row *r, size_t first, uint64_t bytes, uint64_t all)
{
	char percent[PERCENT_BRACKETS];

	percent_brackets(percent, bytes, all);
	row_number(r, first, first + 12, bytes);
	row_left(r, first + 14, first + 17, percent);
}

static void print_row(struct row *r, const char *label, const struct gone_sums *s,
		      const struct gone_sums *all)
{
	row_right(r, 1, 11, label);
	row_number(r, 12, 21, s->blocks);
	print_bytes(r, 23, s->bytes, all->bytes);
	row_number(r, 41, 50, s->freed);
	row_number(r, 51, 59, s->missed);
	row_number(r, 60, 69, s->left);
	print_bytes(r, 71, s->left_bytes, all->left_bytes);
	row_end(r);
}

/* As in the other tables: rows with enough of the blocks or bytes. */
static bool is_shown(const struct gone_sums *s, const struct gone_sums *all,
		     enum report_level level)
{
	unsigned least = level == REPORT_VERBOSE ? 0 : level == REPORT_NORMAL ? 1 : 5;

	return percent_floor(s->bytes, all->bytes) >= least ||
	       percent_floor(s->blocks, all->blocks) >= least ||
	       percent_floor(s->left_bytes, all->left_bytes) >= least;
}

static struct gone_sums sums_of_all(const struct pd_before *b)
{
	struct gone_sums all = {0};

	for (size_t i = 0; i < b->n_bins; i++) {
		struct gone_sums s = sums_of(&b->bins[i]);

		add(&all, &s);
	}
	return all;
}

static void print_table(struct row *r, const struct pd_before *b, enum report_level level)
{
	struct gone_sums all = sums_of_all(b), others = {0};
	size_t n_others = 0;
	char label[48];

	row_title(r, title);
	row_lines(r, heading);
	for (size_t i = 0; i < b->n_bins; i++) {
		struct gone_sums s = sums_of(&b->bins[i]);

		snprintf(label, sizeof label, "%" PRIu64, b->bins[i].usable);
		if (is_shown(&s, &all, level)) {
			print_row(r, label, &s, &all);
			continue;
		}
		add(&others, &s);
		n_others++;
	}
	snprintf(label, sizeof label, "%zu others", n_others);
	if (n_others)
		print_row(r, label, &others, &all);
	print_row(r, "TOTAL", &all, &all);
}

void tables_before(struct row *r, const struct profile_data *d, enum report_level level)
{
	if (d->before.how != BEFORE_WALKED)
		return;
	print_table(r, &d->before, level);
	row_lines(r, "\n\f\n\n");
}

int report_before(const struct profile_data *d, enum report_level level, FILE *out)
{
	struct gone_sums all = sums_of_all(&d->before);
	struct row r;

	fprintf(out,
		"before: %" PRIu64 " of %" PRIu64 " block%s left, %" PRIu64 " of %" PRIu64
		" bytes usable\n\n",
		all.left, all.blocks, text_plural(all.blocks), all.left_bytes, all.bytes);
	row_init(&r, out);
	print_table(&r, &d->before, level);
	return row_release(&r);
}
