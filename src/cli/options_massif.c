/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of Massif's profile, and of its output. */
#include "session/filename.h"
#include "cli/option_values.h"
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* With more than this no new peak would ever be recorded. */
#define MAX_INACCURACY 1e15

void massif_defaults(struct options *o)
{
	o->timeline_points = 1000;
	o->massif = (struct massif_options){
		.columns = 72,
		.rows = 20,
		.settings = {
			.heap = true,
			.heap_admin = 8,
			.alignment = 16,
			.unit = MASSIF_INSTRUCTIONS,
			.threshold = 1.0,
			.rules = { .max_snapshots = 100, .detailed_freq = 10,
				   .peak_inaccuracy = 1.0 },
			.filter = { .depth = 30 },
		},
	};
}

static bool set_number(unsigned *number, const char *v, uint64_t min, uint64_t max)
{
	uint64_t n;

	if (!value_in_range(&n, v, min, max))
		return false;
	*number = (unsigned)n;
	return true;
}

static bool set_heap(struct options *o, const char *v)
{
	return value_yes_no(&o->massif.settings.heap, v);
}

static bool set_stacks(struct options *o, const char *v)
{
	return value_yes_no(&o->massif.settings.stacks, v);
}

static bool set_pages(struct options *o, const char *v)
{
	return value_yes_no(&o->massif.settings.pages, v);
}

static bool set_heap_admin(struct options *o, const char *v)
{
	return set_number(&o->massif.settings.heap_admin, v, 0, 1024);
}

static bool set_alignment(struct options *o, const char *v)
{
	uint64_t n;

	if (!value_in_range(&n, v, 1, 4096) || n & (n - 1))
		return false;
	o->massif.settings.alignment = n;
	return true;
}

static bool set_depth(struct options *o, const char *v)
{
	return set_number(&o->massif.settings.filter.depth, v, 1, 200);
}

static bool add_alloc_fn(struct options *o, const char *v)
{
	return value_add(o->alloc_fns, MAX_FUNCTIONS, v);
}

static bool add_ignore_fn(struct options *o, const char *v)
{
	return value_add(o->ignore_fns, MAX_FUNCTIONS, v);
}

/* As in ms_print, a per cent sign may follow. */
static bool set_threshold(struct options *o, const char *v)
{
	char digits[32];
	size_t len = strlen(v);

	if (!len || len >= sizeof digits)
		return false;
	memcpy(digits, v, len + 1);
	if (digits[len - 1] == '%' && !strcmp(o->command, "report"))
		digits[len - 1] = '\0';
	return value_percent(&o->massif.settings.threshold, digits, 100);
}

static bool set_peak_inaccuracy(struct options *o, const char *v)
{
	return value_percent(&o->massif.settings.rules.peak_inaccuracy, v, MAX_INACCURACY);
}

static bool set_time_unit(struct options *o, const char *v)
{
	static const char *const words[] = { "i", "ms", "B" };
	static const enum massif_unit units[] = { MASSIF_INSTRUCTIONS, MASSIF_MS, MASSIF_BYTES };
	unsigned which;

	if (!value_word(&which, v, words, COUNT(words)))
		return false;
	o->massif.settings.unit = units[which];
	o->massif.unit_given = true;
	return true;
}

static bool set_timeline(struct options *o, const char *v)
{
	return set_number(&o->timeline_points, v, 0, 0) ||
	       set_number(&o->timeline_points, v, 10, 100000);
}

static bool set_detailed_freq(struct options *o, const char *v)
{
	return set_number(&o->massif.settings.rules.detailed_freq, v, 1, 1000000);
}

static bool set_max_snapshots(struct options *o, const char *v)
{
	return set_number(&o->massif.settings.rules.max_snapshots, v, 10, 1000);
}

static bool set_out_file(struct options *o, const char *v)
{
	o->massif.file = v ? v : "massif.out.%p";
	return *o->massif.file && *o->massif.file != '~';
}

static bool set_columns(struct options *o, const char *v)
{
	return set_number(&o->massif.columns, v, 4, 1000);
}

static bool set_rows(struct options *o, const char *v)
{
	return set_number(&o->massif.rows, v, 4, 1000);
}

/* Check the name before the run: an error must not be found at its end. */
static bool check_name(const char *pattern)
{
	struct error e;
	char *name = pattern ? filename_expand_nth(pattern, getpid(), 1, &e) : NULL;
	bool fine = !pattern || (name && *name);

	if (!fine)
		say("option massif-out-file: %s", name ? "the name is empty" : e.text);
	free(name);
	return fine;
}

/* An option without any effect is a mistake. */
static bool check_use(const struct options *o)
{
	bool printed = o->format == FORMAT_MASSIF || o->format == FORMAT_MS_PRINT;
	bool tracing = !strcmp(o->command, "run") || !strcmp(o->command, "attach");
	const struct option_def *d = NULL;
	const char *where = "--massif-out-file";

	if (!o->massif.file)
		d = options_find_given(o, ONLY_MASSIF_FILE);
	if (!d && !o->massif.file && !printed) {
		d = options_find_given(o, ONLY_MASSIF);
		where = tracing ? "--massif-out-file" : "--format=massif or ms_print";
	}
	if (!d && o->format != FORMAT_MS_PRINT) {
		d = options_find_given(o, ONLY_MS_PRINT);
		where = "--format=ms_print";
	}
	if (d)
		say("option %s means nothing without %s", d->name, where);
	return !d;
}

/* A data file has no counts of instructions; a massif file has, if it is written directly. */
static bool check_unit(const struct options *o)
{
	if (o->massif.file || !o->massif.unit_given ||
	    o->massif.settings.unit != MASSIF_INSTRUCTIONS)
		return true;
	say("--time-unit=i: a data file's timeline tells no instructions; use --time-unit=ms or B");
	return false;
}

bool massif_check_options(struct options *o)
{
	struct massif_settings *s = &o->massif.settings;

	if (!check_use(o) || !check_unit(o))
		return false;
	if (s->pages && s->stacks) {
		say("--pages-as-heap=yes measures stacks, too: it does not go with --stacks=yes");
		return false;
	}
	s->pages &= s->heap;
	if (s->pages) {
		s->heap = false;
		s->heap_admin = 0;
		s->alignment = 1;
	}
	o->massif.settings.filter.alloc_fns = o->view.alloc_fns = o->alloc_fns;
	o->massif.settings.filter.ignore_fns = o->view.ignore_fns = o->ignore_fns;
	o->report.view = &o->view;
	return check_name(o->massif.file);
}

#define MASSIF (FOR_TRACING | OF_MASSIF)

const struct option_def massif_options[] = {
	{ "massif-out-file", MASSIF | TAKES_VALUE, "a file name that does not begin with ~",
	  set_out_file },
	{ "heap", MASSIF | ONLY_MASSIF_FILE | NEEDS_VALUE, "yes or no", set_heap },
	{ "stacks", MASSIF | ONLY_MASSIF_FILE | NEEDS_VALUE, "yes or no", set_stacks },
	{ "pages-as-heap", MASSIF | ONLY_MASSIF_FILE | NEEDS_VALUE, "yes or no", set_pages },
	{ "heap-admin", MASSIF | NEEDS_VALUE, "a number of bytes from 0 to 1024", set_heap_admin },
	{ "alignment", MASSIF | NEEDS_VALUE, "a power of two from 1 to 4096", set_alignment },
	{ "depth", MASSIF | NEEDS_VALUE, "a number of frames from 1 to 200", set_depth },
	{ "alloc-fn", MASSIF | FOR_PRINTING | NEEDS_VALUE | NOT_OF_HEAP | NOT_OF_MASSIF,
	  "a function's name, 128 of them at most", add_alloc_fn },
	{ "ignore-fn", MASSIF | FOR_PRINTING | NEEDS_VALUE | NOT_OF_HEAP | NOT_OF_MASSIF,
	  "a function's name, 128 of them at most", add_ignore_fn },
	{ "threshold", MASSIF | ONLY_MASSIF | FOR_REPORT | NEEDS_VALUE,
	  "a percentage from 0.0 to 100.0", set_threshold },
	{ "peak-inaccuracy", MASSIF | ONLY_MASSIF_FILE | NEEDS_VALUE, "a percentage of 0.0 or more",
	  set_peak_inaccuracy },
	{ "time-unit", MASSIF | ONLY_MASSIF | FOR_REPORT | NEEDS_VALUE | NOT_OF_MASSIF,
	  "i, ms or B", set_time_unit },
	{ "detailed-freq", MASSIF | ONLY_MASSIF_FILE | NEEDS_VALUE, "a number from 1 to 1000000",
	  set_detailed_freq },
	{ "max-snapshots", MASSIF | ONLY_MASSIF | FOR_REPORT | NEEDS_VALUE | NOT_OF_MASSIF,
	  "a number from 10 to 1000", set_max_snapshots },
	{ "timeline", FOR_TRACING | NEEDS_VALUE, "a number of points from 10 to 100000, or 0",
	  set_timeline },
	{ "x", FOR_REPORT | ONLY_MS_PRINT | NEEDS_VALUE, "a number of columns from 4 to 1000",
	  set_columns },
	{ "y", FOR_REPORT | ONLY_MS_PRINT | NEEDS_VALUE, "a number of rows from 4 to 1000",
	  set_rows },
	{ 0 },
};
