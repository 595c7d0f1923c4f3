/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include "base/nearest.h"
#include "cli/gating.h"
#include "cli/help.h"
#include "cli/option_values.h"
#include "cli/pages.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

const struct option_def *const option_tables[] = { printing_options, tracing_options,
						   massif_options,
						   heap_options, pprof_options, mma_options,
						   probe_options, control_options, look_options,
						   page_options, gate_options, doctor_options,
						   limit_options, top_options };

const size_t n_option_tables = sizeof option_tables / sizeof *option_tables;

static const struct option_def *find_in(const struct option_def *table, const char *name,
					size_t len, uint64_t command)
{
	for (const struct option_def *d = table; d->name; d++)
		if (d->flags & command && strlen(d->name) == len && !strncmp(d->name, name, len))
			return d;
	return NULL;
}

static const struct option_def *find_option(const char *name, size_t len, uint64_t command)
{
	const struct option_def *d = NULL;

	for (size_t t = 0; !d && t < n_option_tables; t++)
		d = find_in(option_tables[t], name, len, command);
	return d;
}

/* An option for several commands may be in several tables: set it in all of them. */
static bool set_for_all(struct options *o, const char *name, size_t len, uint64_t command,
			const char *value)
{
	for (size_t t = 0; t < n_option_tables; t++) {
		const struct option_def *d = find_in(option_tables[t], name, len, command);

		if (d && !d->set(o, value))
			return false;
	}
	return true;
}

uint64_t options_of_command(const char *command)
{
	uint64_t flags;
	const char *name;

	for (size_t i = 0; (name = help_command(i, &flags)); i++)
		if (!strcmp(command, name))
			return flags;
	return 0;
}

/* ---- unknown options ---- */

/* " (it is for run, attach)" if other commands have it, else "". */
static void tell_whose(const char *name, size_t len, char *text, size_t size)
{
	const char *command;
	uint64_t flags;
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; n < size && (command = help_command(i, &flags)); i++)
		if (find_option(name, len, flags))
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : " (it is for ",
					      command);
	if (n && n < size)
		snprintf(text + n, size - n, ")");
}

/* The command has no option of this name, of @len bytes. @arg: as it was given. */
static void say_unknown(const char *command, const char *arg, const char *name, size_t len)
{
	struct nearest n = { .word = name, .len = len };
	char whose[128];

	tell_whose(name, len, whose, sizeof whose);
	for (size_t t = 0; t < n_option_tables && !*whose; t++)
		for (const struct option_def *d = option_tables[t]; d->name; d++)
			if (d->flags & options_of_command(command))
				nearest_try(&n, d->name);
	if (!*whose)
		nearest_try(&n, "help");
	if (n.best)
		say("unknown option %s for mprof %s: did you mean %.*s%s? See mprof help "
		    "%s", arg, command,
		    (int)(name - arg), arg, n.best, command);
	else
		say("unknown option %s for mprof %s%s; see mprof help "
		    "%s", arg, command, whose, command);
}

/* True if the argument after an option that needs a value is itself an option: the value was
 * forgotten. */
static bool is_no_value(const char *arg, uint64_t command)
{
	const size_t dashes = strspn(arg, "-");

	return dashes > 1 ||
	       (dashes == 1 && find_option(arg + 1, strcspn(arg + 1, "="), command));
}

/* Parse one option; *i is advanced past its value. False: a sentence has been printed. */
static bool parse_one(struct options *o, const char *command, int argc, char **argv, int *i)
{
	const char *name = argv[*i] + (argv[*i][1] == '-' ? 2 : 1), *eq = strchr(name, '=');
	size_t len = eq ? (size_t)(eq - name) : strlen(name);
	const struct option_def *d = find_option(name, len, options_of_command(command));
	const char *value = eq ? eq + 1 : NULL;

	/* -oFILE and -p123, as in other tools */
	if (!d && !eq &&
	    (argv[*i][1] == 'o' || (argv[*i][1] == 'p' && isdigit((unsigned char)argv[*i][2])))) {
		d = find_option(name, 1, options_of_command(command));
		if (d) {
			len = 1;
			value = name + 1;
		}
	}
	if (!d) {
		say_unknown(command, argv[*i], name, len);
		return false;
	}
	if (!(d->flags & (NEEDS_VALUE | TAKES_VALUE)) && value) {
		say("option %.*s takes no value", (int)(name - argv[*i] + (ptrdiff_t)len),
		    argv[*i]);
		return false;
	}
	if (d->flags & NEEDS_VALUE && !value) {
		if (*i + 1 >= argc) {
			say("option %s needs a value: %s", argv[*i], d->accepted);
			return false;
		}
		if (is_no_value(argv[*i + 1], options_of_command(command))) {
			say("option %s needs a value, and %s behind it looks like an option; if it "
			    "is meant, write %s=%s",
			    argv[*i], argv[*i + 1], argv[*i], argv[*i + 1]);
			return false;
		}
		value = argv[++*i];
	}
	if (set_for_all(o, name, len, options_of_command(command), value))
		return true;
	say("option %s: \"%s\" is not %s", d->name, value, d->accepted);
	return false;
}

static bool is_option(const char *arg)
{
	return arg[0] == '-' && arg[1];
}

/* Arguments after a program are the program's; a number is not a program. */
static bool ends_options(const char *command, const char *arg)
{
	const uint64_t is = options_of_command(command);
	pid_t pid;

	return is == FOR_RUN || (is == FOR_DOCTOR && !parse_pid(arg, &pid));
}

/* Move argv[from...to) to argv[@at]; those in between keep their order. Returns the index after
 * them. */
static int move_forward(char **argv, int at, int from, int to)
{
	for (; from < to; at++, from++) {
		char *arg = argv[from];

		memmove(argv + at + 1, argv + at, (size_t)(from - at) * sizeof *argv);
		argv[at] = arg;
	}
	return at;
}

/* Move all options in front of the other arguments. Returns the index of the first argument that is
 * not an option, or -1. */
static int parse_all(struct options *o, const char *command, int argc, char **argv, int first)
{
	int end = first;

	for (int i = first, begin; (begin = i) < argc; i++) {
		bool last = !strcmp(argv[i], "--");

		if (!is_option(argv[i]) && ends_options(command, argv[i]))
			break;
		if (!is_option(argv[i]))
			continue;
		if (!last && !parse_one(o, command, argc, argv, &i))
			return -1;
		end = move_forward(argv, end, begin, i + 1);
		if (last)
			break;
	}
	return end;
}

bool options_ask_for_help(const char *command, int argc, char *const argv[], int first)
{
	for (int i = first; i < argc && strcmp(argv[i], "--"); i++) {
		const char *name = argv[i] + (argv[i][0] == '-') +
				   (argv[i][0] == '-' && argv[i][1] == '-');
		const struct option_def *d;

		if (!is_option(argv[i]) && ends_options(command, argv[i]))
			return false;
		if (!is_option(argv[i]))
			continue;
		if (!strcmp(name, "help") || !strcmp(name, "h"))
			return true;
		d = find_option(name, strlen(name), options_of_command(command));
		/* Skip its value, which is not an option. */
		i += d && d->flags & NEEDS_VALUE && i + 1 < argc &&
		     !is_no_value(argv[i + 1], options_of_command(command));
	}
	return false;
}

int options_parse(struct options *o, const char *command, int argc, char **argv, int first)
{
	*o = (struct options){ .report = { .level = REPORT_NORMAL, .leaks = REPORT_LEAKS },
			       .data = "mprof.data", .command = command, .argv = argv,
			       .first = first };
	bool printing = options_of_command(command) & FOR_REPORT;
	bool tracing = options_of_command(command) & FOR_TRACING;

	massif_defaults(o);
	mma_defaults(o);
	heap_defaults(o);
	look_defaults(o);
	gate_defaults(o);
	top_defaults(o);
	if (tracing) {
		heap_environment(o);
		if (!engine_environment(o))
			return -1;
	}
	/* it may have to attach */
	if (options_of_command(command) & FOR_TOP && !engine_environment(o))
		return -1;
	o->end = parse_all(o, command, argc, argv, first);
	if (o->end < 0)
		return -1;
	/* mprof report checks later, when the input is known */
	if (!printing && !pprof_check_use(o))
		return -1;
	if (!limit_options_check(o) || !pages_check_options(o) || !gating_check_options(o) ||
	    !massif_check_options(o) ||
	    (tracing && (!heap_environment_done(o) || !engine_check_options(o))))
		return -1;
	return o->end;
}

/* The option given as argument @i; NULL: none of ours. *apart: its value is the next argument. */
static const struct option_def *given_at(const struct options *o, int i, bool *apart)
{
	const char *name = o->argv[i] + strspn(o->argv[i], "-");
	size_t len = strcspn(name, "=");
	const struct option_def *d = find_option(name, len, options_of_command(o->command));

	*apart = d && d->flags & NEEDS_VALUE && !name[len];
	return d;
}

void options_print_given(const struct options *o, uint64_t flags, FILE *out)
{
	const char *between = "";
	bool apart;

	for (int i = o->first; i < o->end; i += 1 + apart) {
		const struct option_def *d = given_at(o, i, &apart);

		if (!d || (flags && !(d->flags & flags)))
			continue;
		fprintf(out, "%s%s%s%s", between, o->argv[i], apart ? "=" : "",
			apart ? o->argv[i + 1] : "");
		between = " ";
	}
}

const struct option_def *options_find_given(const struct options *o, uint64_t flags)
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
