/* SPDX-License-Identifier: BSD-2-Clause */
/* Table 2: partial call paths of the memory that was not freed. */
#include "report/leaks.h"
#include "base/text.h"
#include "profile/pd_names.h"
#include "report/percent.h"
#include "report/tables.h"

#include <inttypes.h>
#include <string.h>

static void print_offset(struct row *r, const struct profile_data *d, uint32_t site)
{
	char text[24];

	if (site >= d->n_sites)
		return;		/* "?": there is no call */
	snprintf(text, sizeof text, "+%" PRIu64, d->sites[site].offset);
	row_append(r, text);
}

void tables_append_line(struct row *r, const struct profile_data *d, uint32_t site)
{
	const struct pd_site *s = site < d->n_sites ? &d->sites[site] : NULL;

	if (!s || !s->file || !s->line)
		return;
	row_append(r, " (");
	row_append_name(r, path_last(s->file));
	row_append(r, ":");
	row_append_number(r, s->line);
	row_append(r, ")");
}

static void print_path(struct row *r, const struct profile_data *d, const struct leak *p,
		       const struct report_options *o)
{
	row_append(r, p->whole ? "|| " : "...");
	for (uint32_t i = 0; i < p->n; i++) {
		row_append(r, i ? " > " : "> ");
		row_append_name(r, names_text(d, names_function(d, p->site[i])));
		if (o->leaks == REPORT_LEAKS_OFFSETS)
			print_offset(r, d, p->site[i]);
		if (o->lines)
			tables_append_line(r, d, p->site[i]);
	}
}

static void print_leak(struct row *r, const struct leaks *l, const struct leak *p)
{
	char percent[PERCENT_BRACKETS];
	uint64_t kept = p->bytes - p->freed;

	row_number(r, 1, 10, kept);
	percent_brackets(percent, kept, l->kept);
	row_left(r, 12, 15, percent);
	row_number(r, 16, 25, p->allocs);
	row_number(r, 26, 35, p->bytes);
	percent_brackets(percent, p->bytes, l->bytes);
	row_left(r, 37, 40, percent);
	if (!l->frees) {
		row_move(r, 44);
		return;
	}
	row_number(r, 41, 50, p->frees);
	row_number(r, 51, 60, p->freed);
	percent_brackets(percent, p->freed, l->freed);
	row_left(r, 62, 65, percent);
	row_move(r, 69);
}

/* At the peak nothing had been freed of what was live, and none of it needs to be a leak. */
static void print_heading(struct row *r, const struct leaks *l, bool at_peak)
{
	char total[64];

	row_lines(r, at_peak ?
		     "--------- Partial Dynamic Call Paths of what was live at the Peak "
		     "------------\n\n" :
		     "--------- Partial Dynamic Call Paths for Memory Leaks ------------\n\n");
	snprintf(total, sizeof total, "Total bytes %s: %" PRIu64 "\n\n",
		 at_peak ? "live at the peak" : "not freed", l->kept);
	row_lines(r, total);
	row_lines(r, at_peak ? "live bytes (%)     blocks     bytes (%)     " :
			       "kept bytes (%)     allocs     bytes (%)     ");
	row_lines(r, l->frees ? " frees     bytes (%)     path\n\n" : "path\n\n");
}

int tables_leaks(struct row *r, const struct profile_data *d, const uint32_t *rank,
		 const struct report_options *o)
{
	struct leaks l;
	int err = leaks_collect(d, rank, leaks_key_of(o), o->level, &l);

	if (err)
		return err;
	if (l.n_all) {
		print_heading(r, &l, o->at_peak);
		for (size_t i = 0; i < l.n; i++) {
			print_leak(r, &l, &l.items[i]);
			print_path(r, d, &l.items[i], o);
			row_end(r);
		}
		row_lines(r, "\n\f\n\n");
	}
	leaks_release(&l);
	return 0;
}
