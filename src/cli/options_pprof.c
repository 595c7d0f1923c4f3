/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of pprof, under its names. */
#include "cli/heapfiles.h"
#include "cli/option_values.h"
#include "cli/options.h"

#include <ctype.h>
#include <stdlib.h>

static bool set_fraction(double *fraction, const char *v)
{
	char *end;
	double f = strtod(v, &end);

	if (!(isdigit((unsigned char)*v) || *v == '.') || *end || !(f >= 0 && f <= 1))
		return false;
	*fraction = f;
	return true;
}

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

static bool set_nodecount(struct options *o, const char *v)
{
	return value_count(&o->pprof.graph.nodes, v);
}

static bool set_nodefraction(struct options *o, const char *v)
{
	return set_fraction(&o->pprof.graph.node_fraction, v);
}

static bool set_edgefraction(struct options *o, const char *v)
{
	return set_fraction(&o->pprof.graph.edge_fraction, v);
}

static bool set_dot(struct options *o, const char *v)
{
	(void)v;
	o->format = FORMAT_DOT;
	return true;
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

bool pprof_is_used(const struct options *o)
{
	return is_pprof_format(o->format) || o->pprof.list ||
	       (o->format == FORMAT_JSON && o->pprof.base);
}

bool pprof_check_use(const struct options *o)
{
	bool massif = o->format == FORMAT_MASSIF || o->format == FORMAT_MS_PRINT;
	bool pprof = pprof_is_used(o);
	const struct option_def *d = pprof ? NULL : options_find_given(o, ONLY_PPROF);
	const struct option_def *alone =
		o->pprof.base ? options_find_given(o, NOT_DIFFERENCE) : NULL;

	if (d)
		say("option %s means nothing without --format=text, folded, heap, pprof or "
		    "dot", d->name);
	else if (o->pprof.base && massif)
		say("option base means nothing with --format=massif or ms_print");
	else if (alone)
		say("option %s means nothing with --base", alone->name);
	else if (o->report.lifetimes && (pprof || massif))
		say("option lifetimes means nothing without --format=tables or json");
	else
		return options_obeyed(o, INPUT_DATA);
	return false;
}

#define FRACTION "a fraction from 0 to 1"
#define RE "a regular expression"

const struct option_def pprof_options[] = {
	{ "inuse_space", FOR_PRINTING | ONLY_PPROF, NULL, set_inuse_space },
	{ "inuse_objects", FOR_PRINTING | ONLY_PPROF, NULL, set_inuse_objects },
	{ "alloc_space", FOR_PRINTING | ONLY_PPROF, NULL, set_alloc_space },
	{ "alloc_objects", FOR_PRINTING | ONLY_PPROF, NULL, set_alloc_objects },
	{ "show_bytes", FOR_PRINTING | ONLY_PPROF, NULL, set_show_bytes },
	{ "base", FOR_FILES | NEEDS_VALUE, "a file name", set_base },
	{ "drop_negative", FOR_FILES | ONLY_PPROF, NULL, set_drop_negative },
	{ "functions", FOR_PRINTING | ONLY_PPROF, NULL, set_functions },
	{ "files", FOR_PRINTING | ONLY_PPROF, NULL, set_files },
	{ "addresses", FOR_PRINTING | ONLY_PPROF, NULL, set_addresses },
	{ "cum", FOR_PRINTING | ONLY_PPROF, NULL, set_cum },
	{ "focus", FOR_PRINTING | ONLY_PPROF | NEEDS_VALUE, RE, set_focus },
	{ "ignore", FOR_PRINTING | ONLY_PPROF | NEEDS_VALUE, RE, set_ignore },
	{ "list", FOR_PRINTING | NEEDS_VALUE, RE, set_list },
	{ "nodecount", FOR_PRINTING | ONLY_PPROF | NEEDS_VALUE, "a number of nodes",
	  set_nodecount },
	{ "nodefraction", FOR_PRINTING | ONLY_PPROF | NEEDS_VALUE, FRACTION, set_nodefraction },
	{ "edgefraction", FOR_PRINTING | ONLY_PPROF | NEEDS_VALUE, FRACTION, set_edgefraction },
	{ "dot", FOR_PRINTING, NULL, set_dot },
	{ "text", FOR_PRINTING, NULL, set_text },
	{ "collapsed", FOR_PRINTING, NULL, set_collapsed },
	{ 0 },
};
