/* SPDX-License-Identifier: BSD-2-Clause */
/* Table 2: partial call paths of the memory that was not freed. */
#include "report/leaks.h"
#include "base/text.h"
#include "profile/pd_names.h"
#include "report/percent.h"
#include "report/tables.h"
#include "report/verdicts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_offset(struct row *r, const struct profile_data *d, uint32_t site)
{
	char text[24];

	if (site >= d->n_sites)
		return;		/* "?": there is no call */
	snprintf(text, sizeof text, "+%" PRIu64, d->sites[site].offset);
	row_append(r, text);
}

/* About how many columns stand between the names of a path. */
static size_t between_names(const struct profile_data *d, const uint32_t *sites, size_t n,
			    const struct report_options *o)
{
	size_t columns = strlen("||> ");

	for (size_t i = 0; i < n; i++) {
		columns += strlen(" > ");
		columns += o->leaks == REPORT_LEAKS_OFFSETS ? strlen("+1000") : 0;
		columns += o->lines ? tables_line_columns(d, sites[i]) : 0;
	}
	return columns;
}

void tables_append_path(struct row *r, const struct profile_data *d, const struct leaks *l,
			const struct leak *p, const struct report_options *o)
{
	const uint32_t *sites = l->sites + p->first;

	if (r->columns)
		tables_share_line(r, d, sites, p->n, between_names(d, sites, p->n, o));
	row_append(r, p->whole ? "|| " : "...");
	for (uint32_t i = 0; i < p->n; i++) {
		row_append(r, i ? " > " : "> ");
		tables_append_function(r, d, names_function(d, sites[i]));
		if (o->leaks == REPORT_LEAKS_OFFSETS)
			print_offset(r, d, sites[i]);
		if (o->lines)
			tables_append_line(r, d, sites[i]);
	}
}

/* Columns before the path that the table of 1990 did not have. */
struct besides {
	bool verdicts, reach, types;
};

/* The column of the path, or of what is printed before it. */
static size_t last_column(const struct leaks *l)
{
	return l->frees ? 69 : 44;
}

/* Wide enough for nearly all verdicts, and most types. */
#define VERDICT_COLUMNS 32
#define TYPE_COLUMNS	24
#define REACH_COLUMNS	11

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
		row_move(r, last_column(l));
		return;
	}
	row_number(r, 41, 50, p->frees);
	row_number(r, 51, 60, p->freed);
	percent_brackets(percent, p->freed, l->freed);
	row_left(r, 62, 65, percent);
	row_move(r, last_column(l));
}

static void print_verdict(struct row *r, const struct profile_data *d, const struct leaks *l,
			  const struct leak *p)
{
	struct trend_verdict v = leaks_verdict(d, l, p);
	char text[VERDICT_TEXT];

	if (!verdict_lost_text(text, p->reach, p->allocs - p->frees))
		verdict_text(text, &v, p->frees);
	if (text_after(text, "LOST"))
		row_coloured(r, ROW_RED, text);
	else if (text_after(text, "GROWS"))
		row_coloured(r, ROW_YELLOW, text);
	else
		row_append(r, text);
	row_move(r, last_column(l) + VERDICT_COLUMNS);
}

/* Kept bytes by what leads to them; and those that the look did not see. */
static void print_reach(struct row *r, const struct leaks *l, const struct leak *p)
{
	size_t at = last_column(l) + VERDICT_COLUMNS;
	uint64_t left = p->bytes - p->freed;

	for (int k = 0; k < PD_REACH_CLASSES; k++, at += REACH_COLUMNS) {
		row_number(r, at, at + REACH_COLUMNS - 2, p->reach[k].bytes);
		left -= p->reach[k].bytes;
	}
	row_number(r, at, at + REACH_COLUMNS - 2, left);
	row_move(r, at + REACH_COLUMNS);
}

/* The types that the path requests, "A | B", if known. 0 or -ENOMEM. */
static int print_site_types(struct row *r, const struct profile_data *d, const struct leaks *l,
			    const struct leak *p, const struct besides *b)
{
	size_t at = last_column(l) + (b->verdicts ? VERDICT_COLUMNS : 0) +
		    (b->reach ? (PD_REACH_CLASSES + 1) * REACH_COLUMNS : 0);
	struct pd_types_seen seen;
	char *text = leaks_site_types(d, l, p, &seen) ? NULL : pd_types_seen_text(&seen);

	row_append_name(r, text ? text : "");
	pd_types_seen_release(&seen);
	row_move(r, at + TYPE_COLUMNS);
	free(text);
	return text ? 0 : -ENOMEM;
}

/* Everything before the path. 0 or -ENOMEM. */
static int print_besides(struct row *r, const struct profile_data *d, const struct leaks *l,
			 const struct leak *p, const struct besides *b)
{
	if (b->verdicts)
		print_verdict(r, d, l, p);
	if (b->reach)
		print_reach(r, l, p);
	return b->types ? print_site_types(r, d, l, p, b) : 0;
}

/* At the peak nothing of what was live had been freed, and none of it needs to be a leak. */
static void print_heading(struct row *r, const struct leaks *l, bool at_peak,
			  const struct besides *b)
{
	char total[64];

	row_title(r, at_peak ?
		     "--------- Partial Dynamic Call Paths of what was live at the Peak "
		     "------------" :
		     "--------- Partial Dynamic Call Paths for Memory Leaks ------------");
	snprintf(total, sizeof total, "Total bytes %s: %" PRIu64 "\n\n",
		 at_peak ? "live at the peak" : "not freed", l->kept);
	row_lines(r, total);
	row_lines(r, at_peak ? "live bytes (%)     blocks     bytes (%)     " :
			       "kept bytes (%)     allocs     bytes (%)     ");
	row_lines(r, l->frees ? " frees     bytes (%)     " : "");
	row_lines(r, b->verdicts ? "verdict                         " : "");
	row_lines(r, b->reach ? "lost bytes    through   possible  reachable   not seen  " : "");
	row_lines(r, b->types ? "type                    " : "");
	row_lines(r, "path\n\n");
}

int tables_leaks(struct row *r, const struct profile_data *d, const uint32_t *rank,
		 const struct report_options *o)
{
	struct leaks l;
	const struct leaks_wanted wanted = { leaks_key_of(o), o->level, o->depth, o->own_code };
	int err = leaks_collect(d, rank, &wanted, &l);

	if (err)
		return err;
	const struct besides b = { .verdicts = o->verdicts && d->window_ns,
				   .reach = o->verdicts && d->window_ns && d->reach.known,
				   .types = o->site_types && d->n_site_types };

	if (l.n_all) {
		print_heading(r, &l, o->at_peak, &b);
		for (size_t i = 0; !err && i < l.n; i++) {
			print_leak(r, &l, &l.items[i]);
			err = print_besides(r, d, &l, &l.items[i], &b);
			tables_append_path(r, d, &l, &l.items[i], o);
			row_end(r);
		}
		row_lines(r, "\n\f\n\n");
	}
	leaks_release(&l);
	return err;
}
