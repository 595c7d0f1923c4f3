/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include "cli/option_values.h"

#include <limits.h>
#include <string.h>

static const struct option_def *const tables[] = { printing_options, tracing_options, massif_options,
						   heap_options, pprof_options, mma_options,
						   probe_options };

static const struct option_def *find_in(const struct option_def *table, const char *name, size_t len,
					unsigned command)
{
	for (const struct option_def *d = table; d->name; d++)
		if (d->flags & command && strlen(d->name) == len && !strncmp(d->name, name, len))
			return d;
	return NULL;
}

static const struct option_def *find_option(const char *name, size_t len, unsigned command)
{
	const struct option_def *d = NULL;

	for (size_t t = 0; !d && t < sizeof tables / sizeof *tables; t++)
		d = find_in(tables[t], name, len, command);
	return d;
}

/* Some options matter to several concerns: each has its row. */
static bool set_for_all(struct options *o, const char *name, size_t len, unsigned command,
			const char *value)
{
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
		const struct option_def *d = find_in(tables[t], name, len, command);

		if (d && !d->set(o, value))
			return false;
	}
	return true;
}

static unsigned command_flag(const char *command)
{
	if (!strcmp(command, "run"))
		return FOR_RUN;
	if (!strcmp(command, "probes"))
		return FOR_PROBES;
	if (!strcmp(command, "stats") || !strcmp(command, "log"))
		return FOR_LOGS;
	return strcmp(command, "attach") ? FOR_REPORT : FOR_ATTACH;
}

/* One option; *i moves on over its value. False: a sentence has been printed. */
static bool parse_one(struct options *o, const char *command, int argc, char **argv, int *i)
{
	const char *name = argv[*i] + (argv[*i][1] == '-' ? 2 : 1), *eq = strchr(name, '=');
	size_t len = eq ? (size_t)(eq - name) : strlen(name);
	const struct option_def *d = find_option(name, len, command_flag(command));
	const char *value = eq ? eq + 1 : NULL;

	/* -oFILE, as other tools take it */
	if (!d && argv[*i][1] == 'o' && !eq) {
		d = find_option(name, len = 1, command_flag(command));
		value = name + 1;
	}
	if (!d) {
		say("unknown option %s for mprof %s; see mprof --help", argv[*i], command);
		return false;
	}
	if (!(d->flags & (NEEDS_VALUE | TAKES_VALUE)) && value) {
		say("option %.*s takes no value", (int)(name - argv[*i] + (ptrdiff_t)len), argv[*i]);
		return false;
	}
	if (d->flags & NEEDS_VALUE && !value) {
		if (*i + 1 >= argc) {
			say("option %s needs a value: %s", argv[*i], d->accepted);
			return false;
		}
		value = argv[++*i];
	}
	if (set_for_all(o, name, len, command_flag(command), value))
		return true;
	say("option %s: \"%s\" is not %s", d->name, value, d->accepted);
	return false;
}

/* The index of the first argument that is no option, or -1. */
static int parse_all(struct options *o, const char *command, int argc, char **argv, int first)
{
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

/* Behind a program are its own options; behind anything else they have been misplaced. */
static bool none_behind(const char *command, int argc, char **argv, int first, int end)
{
	if (command_flag(command) == FOR_RUN || (end > first && !strcmp(argv[end - 1], "--")))
		return true;
	for (int i = end; i < argc; i++) {
		if (argv[i][0] == '-' && argv[i][1]) {
			say("options stand before what they are for: %s is behind \"%s\"", argv[i], argv[end]);
			return false;
		}
	}
	return true;
}

int options_parse(struct options *o, const char *command, int argc, char **argv, int first)
{
	*o = (struct options){ .report = { .level = REPORT_NORMAL, .leaks = REPORT_LEAKS },
			       .data = "mprof.data", .command = command, .argv = argv, .first = first };
	bool tracing = command_flag(command) != FOR_REPORT;

	massif_defaults(o);
	mma_defaults(o);
	heap_defaults(o);
	if (tracing)
		heap_environment(o);
	o->end = parse_all(o, command, argc, argv, first);
	if (o->end < 0 || !none_behind(command, argc, argv, first, o->end))
		return -1;
	/* What a report is of is known later. */
	if (command_flag(command) != FOR_REPORT && !pprof_check_use(o))
		return -1;
	if (!massif_settle(o) || (tracing && !heap_environment_done(o)))
		return -1;
	return o->end;
}

/* What was given as argument @i; NULL: nothing of ours. *apart: its value is the next argument. */
static const struct option_def *given_at(const struct options *o, int i, bool *apart)
{
	const char *name = o->argv[i] + strspn(o->argv[i], "-");
	size_t len = strcspn(name, "=");
	const struct option_def *d = find_option(name, len, command_flag(o->command));

	*apart = d && d->flags & NEEDS_VALUE && !name[len];
	return d;
}

void options_print_given(const struct options *o, unsigned flags, FILE *out)
{
	const char *between = "";
	bool apart;

	for (int i = o->first; i < o->end; i += 1 + apart) {
		const struct option_def *d = given_at(o, i, &apart);

		if (!d || (flags && !(d->flags & flags)))
			continue;
		fprintf(out, "%s%s%s%s", between, o->argv[i], apart ? "=" : "", apart ? o->argv[i + 1] : "");
		between = " ";
	}
}

const struct option_def *options_find_given(const struct options *o, unsigned flags)
{
	bool apart;

	for (int i = o->first; i < o->end; i += 1 + apart) {
		const struct option_def *d = given_at(o, i, &apart);

		if (d && d->flags & flags)
			return d;
	}
	return NULL;
}

bool parse_pid(const char *text, pid_t *pid)
{
	uint64_t n;

	if (!value_in_range(&n, text, 1, INT_MAX))
		return false;
	*pid = (pid_t)n;
	return true;
}
