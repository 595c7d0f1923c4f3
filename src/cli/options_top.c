/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of mprof top. */
#include "cli/option_values.h"
#include "cli/options.h"

enum { MAX_ROWS = 1000000 };

void top_defaults(struct options *o)
{
	o->top = (struct top_options){.how = {.depth = 1}, .interval = 1, .rows = 40};
}

static bool set_once(struct options *o, const char *v)
{
	(void)v;
	o->top.once = true;
	return true;
}

static bool set_batch(struct options *o, const char *v)
{
	o->top.batch = true;
	return value_seconds(&o->top.interval, v);
}

static bool set_interval(struct options *o, const char *v)
{
	return value_seconds(&o->top.interval, v);
}

static bool set_by(struct options *o, const char *v)
{
	unsigned which;

	if (!value_word(&which, v, top_by_words, TOP_BYS))
		return false;
	o->top.how.by = which;
	return true;
}

static bool set_sort(struct options *o, const char *v)
{
	unsigned which;

	if (!value_word(&which, v, top_sort_words, TOP_SORTS))
		return false;
	o->top.how.sort = which;
	return true;
}

static bool set_depth(struct options *o, const char *v)
{
	uint64_t n;

	if (!value_in_range(&n, v, 1, TOP_DEPTH_MAX))
		return false;
	o->top.how.depth = (unsigned)n;
	return true;
}

static bool set_innermost(struct options *o, const char *v)
{
	(void)v;
	o->top.how.innermost = true;
	return true;
}

static bool set_filter(struct options *o, const char *v)
{
	o->top.how.filter = v;
	return true;
}

static bool set_rows(struct options *o, const char *v)
{
	uint64_t n = 0;

	if (strcmp(v, "all") && !value_in_range(&n, v, 1, MAX_ROWS))
		return false;
	o->top.rows = (unsigned)n;
	return true;
}

const struct option_def top_options[] = {
	{"once", FOR_TOP, NULL, set_once},
	{"batch", FOR_TOP | NEEDS_VALUE, "a number of seconds above 0", set_batch},
	{"interval", FOR_TOP | NEEDS_VALUE, "a number of seconds above 0", set_interval},
	{"by", FOR_TOP | NEEDS_VALUE, "sites, sizes or threads", set_by},
	{"sort", FOR_TOP | NEEDS_VALUE, "live, growth, allocs or temporary", set_sort},
	{"depth", FOR_TOP | NEEDS_VALUE, "a number of callers from 1 to 1000", set_depth},
	{"innermost", FOR_TOP, NULL, set_innermost},
	{"filter", FOR_TOP | NEEDS_VALUE, "a text", set_filter},
	{"rows", FOR_TOP | NEEDS_VALUE, "a number of rows, or all", set_rows},
	{0},
};
