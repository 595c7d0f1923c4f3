/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that say what a report shows and where it goes. */
#include "cli/option_values.h"
#include "cli/options.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bool set_verbose(struct options *o, const char *v)
{
	(void)v;
	o->report.level = REPORT_VERBOSE;
	return true;
}

static bool set_normal(struct options *o, const char *v)
{
	(void)v;
	o->report.level = REPORT_NORMAL;
	return true;
}

static bool set_terse(struct options *o, const char *v)
{
	(void)v;
	o->report.level = REPORT_TERSE;
	return true;
}

static bool set_leaktable(struct options *o, const char *v)
{
	(void)v;
	o->report.leaks = REPORT_LEAKS;
	return true;
}

static bool set_noleaktable(struct options *o, const char *v)
{
	(void)v;
	o->report.leaks = REPORT_NO_LEAKS;
	return true;
}

static bool set_offsets(struct options *o, const char *v)
{
	(void)v;
	o->report.leaks = REPORT_LEAKS_OFFSETS;
	return true;
}

static bool set_lines(struct options *o, const char *v)
{
	(void)v;
	o->report.lines = true;
	return true;
}

static bool set_lifetimes(struct options *o, const char *v)
{
	(void)v;
	o->report.lifetimes = true;
	return true;
}

static bool set_inlines(struct options *o, const char *v)
{
	bool inlines;

	if (!value_yes_no(&inlines, v))
		return false;
	o->view.no_inlines = !inlines;
	return true;
}

static bool set_names(struct options *o, const char *v)
{
	static const char *const words[] = { "full", "short" };
	unsigned which;

	if (!value_word(&which, v, words, COUNT(words)))
		return false;
	o->view.short_names = which == 1;
	return true;
}

static bool set_types(struct options *o, const char *v)
{
	static const char *const words[] = { "all", "program", "none" };
	static const enum view_types types[] = { VIEW_TYPES_ALL, VIEW_TYPES_PROGRAM,
						 VIEW_TYPES_NONE };
	unsigned which;

	if (!value_word(&which, v, words, COUNT(words)))
		return false;
	o->view.types = types[which];
	return true;
}

static bool set_at(struct options *o, const char *v)
{
	static const char *const words[] = { "end", "peak" };
	unsigned which;

	if (!value_word(&which, v, words, COUNT(words)))
		return false;
	o->view.at_peak = o->report.at_peak = which == 1;
	return true;
}

static bool set_format(struct options *o, const char *v)
{
	static const char *const words[] = { "tables", "json", "massif", "ms_print", "text",
					     "folded",
					     "heap", "pprof", "dot" };
	static const enum output_format formats[] = { FORMAT_TABLES, FORMAT_JSON, FORMAT_MASSIF,
						      FORMAT_MS_PRINT, FORMAT_TEXT, FORMAT_FOLDED,
						      FORMAT_HEAP, FORMAT_PPROF, FORMAT_DOT };
	unsigned which;

	if (!value_word(&which, v, words, COUNT(words)))
		return false;
	o->format = formats[which];
	o->format_given = true;
	return true;
}

static bool set_output(struct options *o, const char *v)
{
	o->to_stdout = !strcmp(v, "-");
	o->output = o->to_stdout ? NULL : v;
	return *v;
}

static bool set_symbols_from(struct options *o, const char *v)
{
	o->symbols_from = v;
	return *v;
}

static bool add_debug_dir(struct options *o, const char *v)
{
	return value_add(o->debug_dirs, MAX_DEBUG_DIRS, v);
}

/* The tables have rows to choose from. */
#define NOT_ELSEWHERE (NOT_MASSIF | NOT_STACKS)

const struct option_def printing_options[] = {
	{ "verbose", FOR_PRINTING | OF_TABLES | NOT_ELSEWHERE, NULL, set_verbose },
	{ "normal", FOR_PRINTING | OF_TABLES | NOT_ELSEWHERE, NULL, set_normal },
	{ "terse", FOR_PRINTING | OF_TABLES | NOT_ELSEWHERE, NULL, set_terse },
	{ "leaktable", FOR_PRINTING | OF_TABLES | NOT_ELSEWHERE, NULL, set_leaktable },
	{ "noleaktable", FOR_PRINTING | OF_TABLES | NOT_ELSEWHERE, NULL, set_noleaktable },
	{ "offsets", FOR_PRINTING | OF_TABLES | NOT_ELSEWHERE, NULL, set_offsets },
	{ "offset", FOR_PRINTING | OF_TABLES | NOT_ELSEWHERE, NULL, set_offsets },
	{ "lines", FOR_PRINTING | NOT_MASSIF | NOT_OF_LOG | NOT_LIST | NOT_FOR_TOOLS, NULL,
	  set_lines },
	{ "lifetimes", FOR_PRINTING | OF_TABLES, NULL, set_lifetimes },
	{ "inlines", FOR_PRINTING | NEEDS_VALUE | NOT_OF_HEAP | NOT_OF_MASSIF, "yes or no",
	  set_inlines },
	{ "names", FOR_PRINTING | NEEDS_VALUE | NOT_OF_MASSIF, "full or short", set_names },
	{ "types", FOR_PRINTING | NEEDS_VALUE | OF_TABLES | NOT_ELSEWHERE, "all, program or none",
	  set_types },
	{ "at", FOR_PRINTING | NEEDS_VALUE | OF_TABLES | NOT_MASSIF, "end or peak", set_at },
	{ "symbols-from", FOR_REPORT | NEEDS_VALUE | NOT_OF_HEAP | NOT_OF_MASSIF | NOT_OF_LOG,
	  "a file or folder", set_symbols_from },
	{ "debug-dir", FOR_PRINTING | NEEDS_VALUE | NOT_OF_MASSIF | NOT_OF_LOG,
	  "a folder, 16 of them at most", add_debug_dir },
	{ "format", FOR_PRINTING | NEEDS_VALUE,
	  "tables, json, massif, ms_print, text, folded, heap, pprof or dot", set_format },
	{ "output", FOR_PRINTING | FOR_LOGS | NEEDS_VALUE, "a file name", set_output },
	{ "o", FOR_PRINTING | FOR_LOGS | NEEDS_VALUE, "a file name", set_output },
	{ 0 },
};
