/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of pprof, under its names. */
#include "cli/option_values.h"
#include "cli/options.h"

static bool set_inuse_space(struct options *o, const char *v)
{
	(void)v;
	o->pprof.value = INUSE_SPACE;
	return true;
}

static bool set_inuse_objects(struct options *o, const char *v)
{
	(void)v;
	o->pprof.value = INUSE_OBJECTS;
	return true;
}

static bool set_alloc_space(struct options *o, const char *v)
{
	(void)v;
	o->pprof.value = ALLOC_SPACE;
	return true;
}

static bool set_alloc_objects(struct options *o, const char *v)
{
	(void)v;
	o->pprof.value = ALLOC_OBJECTS;
	return true;
}

static bool set_show_bytes(struct options *o, const char *v)
{
	(void)v;
	o->pprof.show_bytes = true;
	return true;
}

static bool set_base(struct options *o, const char *v)
{
	o->pprof.base = v;
	return *v;
}

static bool set_drop_negative(struct options *o, const char *v)
{
	(void)v;
	o->pprof.drop_negative = true;
	return true;
}

static bool set_functions(struct options *o, const char *v)
{
	(void)v;
	o->pprof.grain = BY_FUNCTION;
	o->report.lines = false;
	return true;
}

static bool set_files(struct options *o, const char *v)
{
	(void)v;
	o->pprof.grain = BY_FILE;
	return true;
}

static bool set_addresses(struct options *o, const char *v)
{
	(void)v;
	o->pprof.grain = BY_ADDRESS;
	return true;
}

static bool set_cum(struct options *o, const char *v)
{
	(void)v;
	o->pprof.cumulative = true;
	return true;
}

static bool set_focus(struct options *o, const char *v)
{
	o->pprof.focus = v;
	return *v;
}

static bool set_ignore(struct options *o, const char *v)
{
	o->pprof.ignore = v;
	return *v;
}

static bool set_list(struct options *o, const char *v)
{
	o->pprof.list = v;
	return *v;
}

static bool set_text(struct options *o, const char *v)
{
	(void)v;
	o->format = FORMAT_TEXT;
	return true;
}

static bool set_collapsed(struct options *o, const char *v)
{
	(void)v;
	o->format = FORMAT_FOLDED;
	return true;
}

#define RE "a regular expression"

const struct option_def pprof_options[] = {
	{ "inuse_space", FOR_PRINTING, NULL, set_inuse_space },
	{ "inuse_objects", FOR_PRINTING, NULL, set_inuse_objects },
	{ "alloc_space", FOR_PRINTING, NULL, set_alloc_space },
	{ "alloc_objects", FOR_PRINTING, NULL, set_alloc_objects },
	{ "show_bytes", FOR_PRINTING, NULL, set_show_bytes },
	{ "base", FOR_REPORT | NEEDS_VALUE, "a file name", set_base },
	{ "drop_negative", FOR_REPORT, NULL, set_drop_negative },
	{ "functions", FOR_PRINTING, NULL, set_functions },
	{ "files", FOR_PRINTING, NULL, set_files },
	{ "addresses", FOR_PRINTING, NULL, set_addresses },
	{ "cum", FOR_PRINTING, NULL, set_cum },
	{ "focus", FOR_PRINTING | NEEDS_VALUE, RE, set_focus },
	{ "ignore", FOR_PRINTING | NEEDS_VALUE, RE, set_ignore },
	{ "list", FOR_PRINTING | NEEDS_VALUE, RE, set_list },
	{ "text", FOR_PRINTING, NULL, set_text },
	{ "collapsed", FOR_PRINTING, NULL, set_collapsed },
	{ 0 },
};
