/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
	OPT_VERBOSE,
	OPT_NORMAL,
	OPT_TERSE,
	OPT_LEAKTABLE,
	OPT_NOLEAKTABLE,
	OPT_OFFSETS,
	OPT_FORMAT,
	OPT_OUTPUT,
	OPT_DATA,
	OPT_TRACE_CHILDREN,
	OPT_BACKGROUND,
	OPT_DURATION,
	OPT_AUTOSAVE,
	OPT_STATS,
	OPT_WAIT,
	OPT_CHECK_UNWINDING,
	OPT_LINES,
	OPT_INLINES,
	OPT_NAMES,
	OPT_TYPES,
	OPT_SYMBOLS_FROM,
	OPT_DEBUG_DIR,
};

enum {
	NEEDS_VALUE = 1,
	FOR_RUN = 2,
	FOR_REPORT = 4,
	FOR_ATTACH = 8,
	FOR_PRINTING = FOR_RUN | FOR_REPORT | FOR_ATTACH,
	FOR_TRACING = FOR_RUN | FOR_ATTACH,
};

struct option_def {
	const char *name;
	enum option_id id;
	unsigned flags;
};

static const struct option_def defs[] = {
	{ "verbose", OPT_VERBOSE, FOR_PRINTING },
	{ "normal", OPT_NORMAL, FOR_PRINTING },
	{ "terse", OPT_TERSE, FOR_PRINTING },
	{ "leaktable", OPT_LEAKTABLE, FOR_PRINTING },
	{ "noleaktable", OPT_NOLEAKTABLE, FOR_PRINTING },
	{ "offsets", OPT_OFFSETS, FOR_PRINTING },
	{ "offset", OPT_OFFSETS, FOR_PRINTING },
	{ "lines", OPT_LINES, FOR_PRINTING },
	{ "inlines", OPT_INLINES, FOR_PRINTING | NEEDS_VALUE },
	{ "names", OPT_NAMES, FOR_PRINTING | NEEDS_VALUE },
	{ "types", OPT_TYPES, FOR_PRINTING | NEEDS_VALUE },
	{ "symbols-from", OPT_SYMBOLS_FROM, FOR_REPORT | NEEDS_VALUE },
	{ "debug-dir", OPT_DEBUG_DIR, FOR_PRINTING | NEEDS_VALUE },
	{ "format", OPT_FORMAT, FOR_PRINTING | NEEDS_VALUE },
	{ "output", OPT_OUTPUT, FOR_PRINTING | NEEDS_VALUE },
	{ "o", OPT_OUTPUT, FOR_PRINTING | NEEDS_VALUE },
	{ "data", OPT_DATA, FOR_TRACING | NEEDS_VALUE },
	{ "trace-children", OPT_TRACE_CHILDREN, FOR_TRACING | NEEDS_VALUE },
	{ "autosave", OPT_AUTOSAVE, FOR_TRACING | NEEDS_VALUE },
	{ "background", OPT_BACKGROUND, FOR_ATTACH },
	{ "wait", OPT_WAIT, FOR_TRACING | NEEDS_VALUE },
	{ "stats", OPT_STATS, FOR_TRACING },
	{ "check-unwinding", OPT_CHECK_UNWINDING, FOR_TRACING },
	{ "duration", OPT_DURATION, FOR_TRACING | NEEDS_VALUE },
};

static const struct option_def *find_option(const char *name, size_t len, unsigned command)
{
	for (size_t i = 0; i < sizeof defs / sizeof *defs; i++)
		if (defs[i].flags & command && strlen(defs[i].name) == len &&
		    !strncmp(defs[i].name, name, len))
			return &defs[i];
	return NULL;
}

static bool set_format(struct options *o, const char *v)
{
	if (!strcmp(v, "tables"))
		o->format = FORMAT_TABLES;
	else if (!strcmp(v, "json"))
		o->format = FORMAT_JSON;
	else
		return false;
	return true;
}

static bool set_wait(struct options *o, const char *v)
{
	static const struct {
		const char *name;
		enum tracer_wait wait;
	} ways[] = { { "adaptive", WAIT_ADAPTIVE }, { "sleep", WAIT_SLEEP }, { "spin", WAIT_SPIN },
		     { "pin", WAIT_SLEEP } };

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (strcmp(v, ways[i].name))
			continue;
		o->wait = ways[i].wait;
		o->one_cpu = !strcmp(v, "pin");
		return true;
	}
	return false;
}

static bool set_yes_no(bool *flag, const char *v)
{
	if (strcmp(v, "yes") && strcmp(v, "no"))
		return false;
	*flag = !strcmp(v, "yes");
	return true;
}

static bool set_inlines(struct view *view, const char *v)
{
	bool inlines;

	if (!set_yes_no(&inlines, v))
		return false;
	view->no_inlines = !inlines;
	return true;
}

static bool set_names(struct view *view, const char *v)
{
	if (strcmp(v, "full") && strcmp(v, "short"))
		return false;
	view->short_names = !strcmp(v, "short");
	return true;
}

static bool set_types(struct view *view, const char *v)
{
	if (!strcmp(v, "all"))
		view->types = VIEW_TYPES_ALL;
	else if (!strcmp(v, "program"))
		view->types = VIEW_TYPES_PROGRAM;
	else if (!strcmp(v, "none"))
		view->types = VIEW_TYPES_NONE;
	else
		return false;
	return true;
}

static bool add_debug_dir(struct options *o, const char *v)
{
	size_t n = 0;

	while (o->debug_dirs[n])
		n++;
	if (!*v || n == MAX_DEBUG_DIRS)
		return false;
	o->debug_dirs[n] = v;
	return true;
}

static bool set_seconds(double *seconds, const char *v)
{
	char *end;

	errno = 0;
	*seconds = strtod(v, &end);
	return end != v && !*end && !errno && *seconds > 0 && *seconds < 1e9;
}

static bool set_count(uint64_t *count, const char *v)
{
	char *end;

	errno = 0;
	*count = strtoull(v, &end, 10);
	return *v >= '0' && *v <= '9' && !*end && !errno;
}

bool parse_pid(const char *text, pid_t *pid)
{
	uint64_t n;

	if (!set_count(&n, text) || n < 1 || n > INT_MAX)
		return false;
	*pid = (pid_t)n;
	return true;
}

static bool set_option(struct options *o, const struct option_def *d, const char *v)
{
	switch (d->id) {
	case OPT_VERBOSE:
		o->report.level = REPORT_VERBOSE;
		return true;
	case OPT_NORMAL:
		o->report.level = REPORT_NORMAL;
		return true;
	case OPT_TERSE:
		o->report.level = REPORT_TERSE;
		return true;
	case OPT_LEAKTABLE:
		o->report.leaks = REPORT_LEAKS;
		return true;
	case OPT_NOLEAKTABLE:
		o->report.leaks = REPORT_NO_LEAKS;
		return true;
	case OPT_OFFSETS:
		o->report.leaks = REPORT_LEAKS_OFFSETS;
		return true;
	case OPT_FORMAT:
		return set_format(o, v);
	case OPT_OUTPUT:
		o->output = v;
		return *v;
	case OPT_DATA:
		o->data = v;
		return *v;
	case OPT_TRACE_CHILDREN:
		return set_yes_no(&o->trace_children, v);
	case OPT_BACKGROUND:
		o->background = true;
		return true;
	case OPT_WAIT:
		return set_wait(o, v);
	case OPT_STATS:
		o->stats = true;
		return true;
	case OPT_CHECK_UNWINDING:
		o->check_unwinding = o->stats = true;
		return true;
	case OPT_DURATION:
		return set_seconds(&o->duration, v);
	case OPT_AUTOSAVE:
		return set_count(&o->autosave, v);
	case OPT_LINES:
		o->report.lines = true;
		return true;
	case OPT_INLINES:
		return set_inlines(&o->view, v);
	case OPT_NAMES:
		return set_names(&o->view, v);
	case OPT_TYPES:
		return set_types(&o->view, v);
	case OPT_SYMBOLS_FROM:
		o->symbols_from = v;
		return *v;
	case OPT_DEBUG_DIR:
		return add_debug_dir(o, v);
	}
	return false;
}

static const char *accepted_values(enum option_id id)
{
	switch (id) {
	case OPT_FORMAT:
		return "tables or json";
	case OPT_TRACE_CHILDREN:
	case OPT_INLINES:
		return "yes or no";
	case OPT_NAMES:
		return "full or short";
	case OPT_TYPES:
		return "all, program or none";
	case OPT_SYMBOLS_FROM:
		return "a file or folder";
	case OPT_DEBUG_DIR:
		return "a folder, 16 of them at most";
	case OPT_WAIT:
		return "adaptive, sleep, spin or pin";
	case OPT_DURATION:
		return "a number of seconds above 0";
	case OPT_AUTOSAVE:
		return "a number of allocations";
	default:
		return "a file name";
	}
}

static unsigned command_flag(const char *command)
{
	if (!strcmp(command, "run"))
		return FOR_RUN;
	return strcmp(command, "attach") ? FOR_REPORT : FOR_ATTACH;
}

/* One option; *i moves on over its value. False: a sentence has been printed. */
static bool parse_one(struct options *o, const char *command, int argc, char **argv, int *i)
{
	const char *name = argv[*i] + (argv[*i][1] == '-' ? 2 : 1), *eq = strchr(name, '=');
	size_t len = eq ? (size_t)(eq - name) : strlen(name);
	const struct option_def *d =
		find_option(name, len, command_flag(command));
	const char *value = eq ? eq + 1 : NULL;

	/* -oFILE, as other tools take it */
	if (!d && argv[*i][1] == 'o' && !eq) {
		o->output = name + 1;
		return true;
	}
	if (!d) {
		say("unknown option %s for mprof %s; see mprof --help", argv[*i], command);
		return false;
	}
	if (!(d->flags & NEEDS_VALUE) && value) {
		say("option %.*s takes no value", (int)(name - argv[*i] + (ptrdiff_t)len), argv[*i]);
		return false;
	}
	if (d->flags & NEEDS_VALUE && !value) {
		if (*i + 1 >= argc) {
			say("option %s needs a value: %s", argv[*i], accepted_values(d->id));
			return false;
		}
		value = argv[++*i];
	}
	if (set_option(o, d, value))
		return true;
	say("option %s: \"%s\" is not %s", d->name, value, accepted_values(d->id));
	return false;
}

int options_parse(struct options *o, const char *command, int argc, char **argv, int first)
{
	*o = (struct options){ .report = { .level = REPORT_NORMAL, .leaks = REPORT_LEAKS }, .data = "mprof.data" };
	for (int i = first; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		if (argv[i][0] != '-' || !argv[i][1])
			return i;
		if (!parse_one(o, command, argc, argv, &i))
			return -1;
	}
	return argc;
}
