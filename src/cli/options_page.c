/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of the page: where it is written, and whether it is shown. */
#include "cli/options.h"

#include <string.h>

static bool set_html(struct options *o, const char *v)
{
	o->html = v;
	return *v && strcmp(v, "-") != 0; /* standard output is for the report, or for the
					     program */
}

/* Showing in a browser implies a page; another --format is an error. */
static bool set_open(struct options *o, const char *v)
{
	(void)v;
	o->open = true;
	if (!o->format_given && o->format == FORMAT_TABLES)
		o->format = FORMAT_HTML;
	return true;
}

const struct option_def page_options[] = {
	{"html", FOR_TRACING | FOR_DETACH | NEEDS_VALUE, "a file name", set_html},
	{"open", FOR_FILES | NOT_LIST, NULL, set_open},
	{0},
};
