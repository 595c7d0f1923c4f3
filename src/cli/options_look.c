/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of looks at a process: those without tracing it, and the one before attaching. */
#include "cli/options.h"

#include "cli/option_values.h"

#include <string.h>

enum { MAX_PAUSE_MS = 3600000 };

void look_defaults(struct options *o)
{
	o->max_pause_ms = 1000;
	o->classes = true;
}

static bool set_max_pause(struct options *o, const char *v)
{
	return value_in_range(&o->max_pause_ms, v, 1, MAX_PAUSE_MS);
}

static bool set_memory(struct options *o, const char *v)
{
	static const char *const words[] = {"auto", "copy"};
	unsigned which;

	if (!value_word(&which, v, words, sizeof words / sizeof *words))
		return false;
	o->copy_anyway = which == 1;
	return true;
}

static bool set_before(struct options *o, const char *v)
{
	static const char *const words[] = {
		[BEFORE_UNKNOWN] = "no", [BEFORE_COUNTED] = "count", [BEFORE_WALKED] = "walk"};
	unsigned which;

	if (!value_word(&which, v, words, sizeof words / sizeof *words))
		return false;
	o->before = which;
	return true;
}

static bool set_modules(struct options *o, const char *v)
{
	(void)v;
	o->modules = true;
	return true;
}

static bool set_classes(struct options *o, const char *v)
{
	return value_yes_no(&o->classes, v);
}

static bool set_idioms(struct options *o, const char *v)
{
	bool idioms;

	if (!value_yes_no(&idioms, v))
		return false;
	o->no_idioms = !idioms;
	return true;
}

static bool set_possible(struct options *o, const char *v)
{
	return value_yes_no(&o->lists_possible, v);
}

static bool set_passes(struct options *o, const char *v)
{
	return value_in_range(&o->passes, v, 2, 8);
}

const struct option_def look_options[] = {
	{"types", FOR_HEAP | NEEDS_VALUE, "yes or no", set_classes},
	{"modules", FOR_RSS, NULL, set_modules},
	{"before", FOR_ATTACH | NEEDS_VALUE, "no, count or walk", set_before},
	{"max-pause", FOR_LOOKS | FOR_ATTACH | NEEDS_VALUE,
	 "a number of milliseconds, up to 3600000", set_max_pause},
	{"memory", FOR_LOOKS | FOR_ATTACH | NEEDS_VALUE, "auto or copy", set_memory},
	{"idioms", FOR_LEAKS | NEEDS_VALUE, "yes or no", set_idioms},
	{"possible", FOR_LEAKS | NEEDS_VALUE, "yes or no", set_possible},
	{"passes", FOR_LEAKS | NEEDS_VALUE, "a number of passes from 2 to 8", set_passes},
	{0},
};
