/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that say what a report shows, and where it is written. */
#include "cli/option_values.h"
#include "cli/options.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bool set_verbose(struct options *o, const char *v)
{
	(void)v;
	o->report.level = REPORT_VERBOSE;
	return true;
}

static bool set_quiet(struct options *o, const char *v)
{
	(void)v;
	o->quiet = true;
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

static bool set_verdicts(struct options *o, const char *v)
{
	return value_yes_no(&o->report.verdicts, v);
}

static bool set_summary(struct options *o, const char *v)
{
	(void)v;
	o->report.summary = true;
	return true;
}

static bool add_own_code(struct options *o, const char *v)
{
	if (!strcmp(v, "auto")) {
		memset(o->own_code, 0, sizeof o->own_code);
		return true;
	}
	o->report.own_code = o->own_code;
	return value_add(o->own_code, MAX_NAMES, v);
}

/* "all" is more than any chain has; 0 is the default. */
static bool set_depth(struct options *o, const char *v)
{
	uint64_t n;

	if (!strcmp(v, "all"))
		n = UINT32_MAX;
	else if (!value_count(&n, v) || !n || n > 10000)
		return false;
	o->report.depth = (uint32_t)n;
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
	o->report.names_full = which == 0;
	return true;
}

static bool set_colour(struct options *o, const char *v)
{
	static const char *const words[] = { "auto", "always", "never" };
	unsigned which;

	if (!value_word(&which, v, words, COUNT(words)))
		return false;
	o->colour = (enum screen_colour)which;
	return true;
}

static bool set_no_pager(struct options *o, const char *v)
{
	(void)v;
	o->no_pager = true;
	return true;
}

static bool set_site_types(struct options *o, const char *v)
{
	bool wanted;

	if (!value_yes_no(&wanted, v))
		return false;
	o->view.no_site_types = !wanted;
	o->report.site_types = wanted;
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
					     "heap", "pprof", "dot", "html" };
	static const enum output_format formats[] = { FORMAT_TABLES, FORMAT_JSON, FORMAT_MASSIF,
						      FORMAT_MS_PRINT, FORMAT_TEXT, FORMAT_FOLDED,
						      FORMAT_HEAP, FORMAT_PPROF, FORMAT_DOT,
						      FORMAT_HTML };
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

/* Options that select rows of the tables ... */
#define NOT_ELSEWHERE (NOT_MASSIF | NOT_STACKS)
/* ... and have no effect on the summary. */
#define OF_THEIRS (OF_TABLES | NOT_ELSEWHERE | NOT_SUMMARY)
/* ... and have no effect on a difference. */
#define OF_ONE (OF_TABLES | NOT_ELSEWHERE | NOT_DIFFERENCE)

const struct option_def printing_options[] = {
	{ "verbose", FOR_PRINTING | FOR_HEAP | FOR_LEAKS | OF_THEIRS, NULL, set_verbose },
	{ "quiet", FOR_PRINTING, NULL, set_quiet },
	{ "normal", FOR_PRINTING | OF_THEIRS, NULL, set_normal },
	{ "terse", FOR_PRINTING | OF_THEIRS, NULL, set_terse },
	{ "leaktable", FOR_PRINTING | OF_THEIRS, NULL, set_leaktable },
	{ "noleaktable", FOR_PRINTING | OF_THEIRS, NULL, set_noleaktable },
	{ "offsets", FOR_PRINTING | OF_THEIRS, NULL, set_offsets },
	{ "offset", FOR_PRINTING | OF_THEIRS, NULL, set_offsets },
	{ "lines", FOR_PRINTING | NOT_MASSIF | NOT_OF_LOG | NOT_LIST | NOT_FOR_TOOLS | NOT_SUMMARY,
	  NULL, set_lines },
	{ "lifetimes", FOR_PRINTING | OF_TABLES | NOT_DIFFERENCE | NOT_SUMMARY, NULL,
	  set_lifetimes },
	{ "verdicts", FOR_PRINTING | NEEDS_VALUE | OF_ONE | NOT_SUMMARY, "yes or no",
	  set_verdicts },
	{ "summary", FOR_PRINTING | OF_TABLES | NOT_ELSEWHERE | NOT_GROWTH, NULL, set_summary },
	{ "own-code", FOR_PRINTING | NEEDS_VALUE | OF_ONE,
	  "a file's name, 64 of them at most, or auto", add_own_code },
	{ "depth", FOR_REPORT | NEEDS_VALUE | OF_ONE | NOT_SUMMARY,
	  "a number of functions from 1 to 10000, or all", set_depth },
	{ "inlines", FOR_PRINTING | NEEDS_VALUE | NOT_OF_HEAP | NOT_OF_MASSIF, "yes or no",
	  set_inlines },
	{ "names", FOR_PRINTING | NEEDS_VALUE | NOT_OF_MASSIF | NOT_SUMMARY, "full or short",
	  set_names },
	{ "color", FOR_PRINTING | NEEDS_VALUE | OF_THEIRS, "auto, always or never", set_colour },
	{ "no-pager", FOR_REPORT | FOR_FILES, NULL, set_no_pager },
	{ "types", FOR_PRINTING | NEEDS_VALUE | OF_THEIRS, "all, program or none", set_types },
	{ "site-types", FOR_PRINTING | NEEDS_VALUE | OF_ONE, "yes or no",
	  set_site_types },
	{ "at", FOR_PRINTING | NEEDS_VALUE | OF_TABLES | NOT_MASSIF | NOT_GROWTH, "end or peak",
	  set_at },
	{ "symbols-from", FOR_REPORT | NEEDS_VALUE | NOT_OF_HEAP | NOT_OF_MASSIF | NOT_OF_LOG,
	  "a file or folder", set_symbols_from },
	{ "debug-dir", FOR_PRINTING | FOR_DOCTOR | NEEDS_VALUE | NOT_OF_MASSIF | NOT_OF_LOG,
	  "a folder, 16 of them at most", add_debug_dir },
	{ "format", FOR_PRINTING | NEEDS_VALUE,
	  "tables, json, massif, ms_print, text, folded, heap, pprof, dot or html", set_format },
	{ "output", FOR_PRINTING | FOR_LOGS | FOR_LOOKS | FOR_MERGE | FOR_DOCTOR | NEEDS_VALUE,
	  "a file name", set_output },
	{ "o", FOR_PRINTING | FOR_LOGS | FOR_LOOKS | FOR_MERGE | FOR_DOCTOR | NEEDS_VALUE,
	  "a file name", set_output },
	{ 0 },
};
