/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/first_screen.h"

#include "base/memstream.h"
#include "base/printable.h"
#include "base/stream.h"
#include "base/text.h"
#include "naming/where.h"
#include "report/rss.h"
#include "report/summary.h"
#include "report/verdicts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Most rows on the first screen. */
#define ROWS 5

static void put_harmless(const char *text, FILE *f)
{
	while (*text)
		text = printable_put(f, text);
}

/* "lose (patterns.c:57) through make_node" */
static void print_where(const struct profile_data *d, const struct summary_row *r, FILE *f)
{
	char *where = where_text(d, r->site), name[WHERE_FUNCTION];

	put_harmless(where ? where : "?", f);
	free(where);
	if (r->through != PD_NONE) {
		fputs(" through ", f);
		put_harmless(where_function(d, r->through, name), f);
	}
	if (!r->own)
		fputs(", in no code of the program's own", f);
}

/* ", from serve", and what hangs on a lost block: the place where that is lost has to be fixed. */
static void print_caller(const struct profile_data *d, const struct summary_row *r, FILE *f)
{
	char name[WHERE_FUNCTION];

	if (!r->callers)
		return;
	fputs(", from ", f);
	put_harmless(where_function(d, r->caller, name), f);
	if (r->callers > 1)
		fprintf(f, " and %zu more", r->callers - 1);
}

static void print_hanging(const struct summary_row *r, FILE *f)
{
	char bytes[VERDICT_BYTES];

	if (!r->hanging.blocks)
		return;
	verdict_bytes(bytes, (double)r->hanging.bytes);
	fprintf(f, "; %s in %" PRIu64 " block%s hang%s on it", bytes, r->hanging.blocks,
		text_plural(r->hanging.blocks), r->hanging.blocks == 1 ? "s" : "");
}

static void print_row(const struct profile_data *d, const struct summary_row *r, FILE *f)
{
	char verdict[VERDICT_TEXT] = "";

	bool lost = r->reach[PD_LOST].blocks || r->hangs;

	if (lost) {
		verdict_lost_text(verdict, r->reach, r->blocks);
		verdict_append_growth(verdict, &r->verdict);
	} else if (d->window_ns) {
		verdict_text(verdict, &r->verdict, r->frees);
	}
	fprintf(f, "%12" PRIu64 " bytes %8" PRIu64 " block%s  %-32s ", r->bytes, r->blocks,
		r->blocks == 1 ? " " : "s", verdict);
	print_where(d, r, f);
	print_caller(d, r, f);
	if (r->type) {
		fputs(": ", f);
		put_harmless(r->type, f);
	}
	print_hanging(r, f);
	fputc('\n', f);
}

static void print_runtime(const struct summary *s, FILE *f)
{
	char kinds[256];
	struct pd_sum all = runtime_sum(s->runtime, kinds, sizeof kinds);

	if (all.blocks)
		fprintf(f,
			"kept by the runtime: %" PRIu64 " bytes in %" PRIu64 " block%s (%s)\n",
			all.bytes, all.blocks, text_plural(all.blocks), kinds);
}

static void print_rows(const struct profile_data *d, const struct summary *s, size_t n, FILE *f)
{
	for (size_t i = 0; i < n; i++)
		print_row(d, &s->rows[i], f);
}

/* Print the sum of rows @i to @end, if there are any. Returns whether there are. */
static bool print_rest(const struct summary *s, size_t i, size_t end, const char *before,
		       const char *what, FILE *f)
{
	uint64_t bytes = 0, blocks = 0;
	size_t n = end > i ? end - i : 0;

	for (; i < end; i++) {
		bytes += s->rows[i].bytes;
		blocks += s->rows[i].blocks;
	}
	if (n)
		fprintf(f, "%s%zu more line%s%s: %" PRIu64 " bytes in %" PRIu64 " block%s", before,
			n, text_plural(n), what, bytes, blocks, text_plural(blocks));
	return n;
}

/* The same for all rows from @i on, in one line; those reachable only from lost blocks
 * separately. */
static void print_sum(const struct summary *s, size_t i, const char *before, FILE *f)
{
	size_t hanging = s->n - s->n_hanging;
	bool any = print_rest(s, i, hanging, before, "", f);

	any |= print_rest(s, i > hanging ? i : hanging, s->n, any ? "; " : before,
			  ", of what hangs on lost blocks", f);
	if (any)
		fputc('\n', f);
}

/* A cache that was full when we attached looks like growth until its old content has been replaced;
 * the paths of old blocks are unknown. */
static void print_turnover(const struct profile_data *d, const struct summary *s, FILE *f)
{
	uint64_t old = d->totals.unknown_frees - d->totals.inherited_frees +
		       d->totals.before_frees;

	if (s->grown && old >= s->grown / 10 && old)
		fprintf(f,
			"%" PRIu64 " block%s from before mprof came %s been freed meanwhile: what "
			"grows may have taken the place of these\n",
			old, text_plural(old), old == 1 ? "has" : "have");
}

/* Print what was there before the attach; its paths are unknown. */
static void print_before(const struct profile_data *d, FILE *f)
{
	const struct pd_before *b = &d->before;

	if (!b->how)
		return;
	fprintf(f, "before the attach: %" PRIu64 " block%s of %" PRIu64 " bytes usable", b->blocks,
		text_plural(b->blocks), b->bytes);
	if (b->how == BEFORE_WALKED)
		fprintf(f, "; freed since: %" PRIu64 " of %" PRIu64 " bytes",
			d->totals.before_frees, b->freed_bytes);
	if (b->missed)
		fprintf(f, "; %" PRIu64 " more went unseen", b->missed);
	fputc('\n', f);
}

/* @blocks lost blocks were not recorded when they were requested. */
static void print_unknown(const struct profile_data *d, uint64_t blocks, FILE *f)
{
	if (d->min_size || d->max_size)
		fprintf(f, "; %" PRIu64 " of them were not recorded, for their size or as they are "
			   "older", blocks);
	else
		fprintf(f, "; who requested %" PRIu64 " of them is not known", blocks);
}

/* Print what is lost, by whatever request. */
static void print_lost(const struct profile_data *d, const struct summary *s, FILE *f)
{
	const struct pd_sum *all = d->reach.sums;
	uint64_t lost = all[PD_LOST].blocks + all[PD_LOST_THROUGH].blocks;
	uint64_t known = s->reach[PD_LOST].blocks + s->reach[PD_LOST_THROUGH].blocks +
			 d->reach.freed + d->reach.ignored + d->reach.inherited;

	if (!d->reach.known && d->n_rss)
		fputs("lost: not known, for the heap could not be looked through\n", f);
	if (!d->reach.known)
		return;
	if (lost)
		fprintf(f, "lost: %" PRIu64 " block%s of %" PRIu64 " bytes usable",
			all[PD_LOST].blocks, text_plural(all[PD_LOST].blocks), all[PD_LOST].bytes);
	else
		fputs("lost: nothing", f);
	if (all[PD_LOST_THROUGH].blocks)
		fprintf(f, ", and %" PRIu64 " more of %" PRIu64 " that only they lead to",
			all[PD_LOST_THROUGH].blocks, all[PD_LOST_THROUGH].bytes);
	if (d->reach.ignored)
		fprintf(f, "; %" PRIu64 " of them are in no row, by --ignore-fn", d->reach.ignored);
	if (d->reach.inherited)
		fprintf(f, "; %" PRIu64 " of them were requested by its parent, before the fork",
			d->reach.inherited);
	if (lost > known)
		print_unknown(d, lost - known, f);
	if (all[PD_POSSIBLE].blocks)
		fprintf(f, "; possibly %" PRIu64 " %s of %" PRIu64, all[PD_POSSIBLE].blocks,
			lost				? "more"
			: all[PD_POSSIBLE].blocks == 1	? "block"
							: "blocks",
			all[PD_POSSIBLE].bytes);
	if (d->reach.freed)
		fprintf(f, "; %" PRIu64 " of these %s freed later", d->reach.freed,
			d->reach.freed == 1 ? "was" : "were");
	fputc('\n', f);
}

/* Nothing is kept of what was observed, and not everything was: if the session ends in a pause, as
 * with --max-slowdown, all live blocks count as missed. */
static bool is_unknown(const struct profile_data *d, const struct summary *s)
{
	return d->unseen.pauses && !s->blocks;
}

static void print_unknown_kept(const struct profile_data *d, FILE *f)
{
	const struct pd_totals *t = &d->totals;

	fprintf(f,
		"not known, for it was not watched to the end without a break: nothing was seen in "
		"%" PRIu64 " pause%s of %.1f s in all",
		d->unseen.pauses, text_plural(d->unseen.pauses), (double)d->unseen.paused_ns / 1e9);
	if (t->missed)
		fprintf(f,
			"; %" PRIu64 " block%s of %" PRIu64 " bytes that %s live when a pause "
			"began may be kept",
			t->missed, text_plural(t->missed), t->missed_bytes,
			t->missed == 1 ? "was" : "were");
}

/* Print what is in no figure but the peak. */
static void print_left_out(const struct profile_data *d, bool at_peak, FILE *f)
{
	const struct pd_left_out *l = &d->left_out;

	if (!l->allocs)
		return;
	fprintf(f, "left out by --ignore-fn: ");
	if (at_peak)
		fprintf(f, "%" PRIu64 " bytes in %" PRIu64 " block%s\n", l->bytes, l->allocs,
			text_plural(l->allocs));
	else
		fprintf(f, "%" PRIu64 " allocation%s of %" PRIu64 " bytes, %" PRIu64 " free%s\n",
			l->allocs, text_plural(l->allocs), l->bytes, l->frees,
			text_plural(l->frees));
}

static void print_summary(const struct profile_data *d, const struct summary *s, bool at_peak,
			  FILE *f)
{
	size_t rows = s->n < ROWS ? s->n : ROWS;

	fputs(at_peak ? "live at the peak" : "kept", f);
	if (d->pid)
		fprintf(f, " by process %" PRIu32, d->pid);
	fputs(": ", f);
	if (!at_peak && is_unknown(d, s))
		print_unknown_kept(d, f);
	else
		fprintf(f, "%" PRIu64 " bytes in %" PRIu64 " block%s%s", s->bytes, s->blocks,
			text_plural(s->blocks),
			s->n ? ", by the lines of the program's own code:" : "");
	fputc('\n', f);
	print_rows(d, s, rows, f);
	print_sum(s, rows, "and ", f);
	print_turnover(d, s, f);
	print_runtime(s, f);
	print_left_out(d, at_peak, f);
	if (!at_peak)
		print_lost(d, s, f);
	print_before(d, f);
	report_rss_line(d, f);
}

/* If it ended before there are verdicts, print what is kept instead. */
static void print_growth(const struct profile_data *d, const struct options *o,
			 const struct summary *s, FILE *f)
{
	double seconds = (double)(d->load.end_ns - d->load.begin_ns) / 1e9;
	bool early = d->windows_over < TREND_WINDOWS;
	size_t rows = !early ? s->growing : s->n < ROWS ? s->n : ROWS;

	fprintf(f, "process %" PRIu32 ", %.3g s", d->pid, seconds);
	if (seconds < 0.99 * o->duration)
		fprintf(f, " of %.6g, and then it ended or was let go", o->duration);
	if (early && is_unknown(d, s)) {
		fputs(": too early to say what grows; what is kept is ", f);
		print_unknown_kept(d, f);
		fputc('\n', f);
	} else if (early) {
		fprintf(f, ": too early to say what grows; %" PRIu64 " bytes in %" PRIu64
			   " block%s are kept%s\n", s->bytes, s->blocks, text_plural(s->blocks),
			rows ? ":" : "");
	} else {
		fprintf(f, ": %zu line%s of the program's own code grew%s\n", s->growing,
			text_plural(s->growing), s->growing ? ":" : "");
	}
	print_rows(d, s, rows, f);
	print_sum(s, rows, early ? "and " : "no growth, or too early to say: ", f);
	print_turnover(d, s, f);
	print_runtime(s, f);
	print_left_out(d, false, f);
	print_before(d, f);
}

enum form { FIRST_SCREEN, FIRST_SCREEN_AT_PEAK, GROWTH };

/* For free(); NULL: out of memory. @worth: set if it is worth printing. */
static char *text_of(const struct profile_data *d, const struct options *o, enum form form,
		     bool *worth)
{
	struct summary s;
	char *text = NULL;
	size_t len;

	if (summary_collect(d, o->own_code, &s))
		return NULL;
	if (form == GROWTH)
		summary_sort_by_growth(&s);
	*worth = s.blocks || d->before.blocks || d->reach.known || d->unseen.pauses ||
		 d->left_out.allocs;
	FILE *f = memstream_open(&text, &len);

	if (f && form == GROWTH)
		print_growth(d, o, &s, f);
	else if (f)
		print_summary(d, &s, form == FIRST_SCREEN_AT_PEAK, f);
	summary_release(&s);
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

static enum form form_of(const struct options *o)
{
	return o->view.at_peak ? FIRST_SCREEN_AT_PEAK : FIRST_SCREEN;
}

int first_screen_say(const struct profile_data *d, const struct options *o)
{
	bool worth;
	char *text = text_of(d, o, form_of(o), &worth), *rest = text;

	if (!text)
		return -ENOMEM;
	for (char *line; worth && (line = strsep(&rest, "\n")) && *line;)
		say("%s", line);
	free(text);
	return 0;
}

static int print(const struct profile_data *d, const struct options *o, enum form form, FILE *out)
{
	bool worth;
	char *text = text_of(d, o, form, &worth);

	if (!text)
		return -ENOMEM;
	fputs(text, out);
	free(text);
	return stream_flush(out);
}

int first_screen_print(const struct profile_data *d, const struct options *o, FILE *out)
{
	return print(d, o, form_of(o), out);
}

int first_screen_print_growth(const struct profile_data *d, const struct options *o, FILE *out)
{
	return print(d, o, GROWTH, out);
}
