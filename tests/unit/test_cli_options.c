/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ARGS 16

struct parsed {
	struct options o;
	int first;		/* what options_parse() returned */
	char said[1024];	/* what went to standard error meanwhile */
};

/* What is printed while @what runs, through a file in the place of standard error. */
static void capture_begin(FILE **file, int *saved)
{
	fflush(stderr);
	*file = tmpfile();
	assert_non_null(*file);
	*saved = dup(2);
	assert_true(*saved >= 0);
	assert_true(dup2(fileno(*file), 2) >= 0);
}

static void capture_end(FILE *file, int saved, char *said, size_t size)
{
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	rewind(file);
	said[fread(said, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* Parse @args, separated by blanks, of mprof @command; "''" is an empty one. */
static struct parsed parse(const char *command, const char *args)
{
	static char text[512];
	static char *argv[MAX_ARGS + 1];
	struct parsed p;
	int argc = 1, saved;
	FILE *file;

	argv[0] = "mprof";
	snprintf(text, sizeof text, "%s", args);
	for (char *a = strtok(text, " "); a; a = strtok(NULL, " ")) {
		assert_true(argc < MAX_ARGS);
		argv[argc++] = strcmp(a, "''") ? a : "";
	}
	argv[argc] = NULL;
	memset(&p, 0xee, sizeof p);
	capture_begin(&file, &saved);
	p.first = options_parse(&p.o, command, argc, argv, 1);
	capture_end(file, saved, p.said, sizeof p.said);
	if (p.first >= 0)
		assert_string_equal(p.said, "");
	return p;
}

static void assert_refused(const char *command, const char *args, const char *why)
{
	struct parsed p = parse(command, args);

	assert_int_equal(p.first, -1);
	assert_string_equal(p.said, why);
}

static void without_options_the_defaults_hold(void **state)
{
	struct parsed p = parse("run", "");

	(void)state;
	assert_int_equal(p.first, 1);
	assert_int_equal(p.o.report.level, REPORT_NORMAL);
	assert_int_equal(p.o.report.leaks, REPORT_LEAKS);
	assert_int_equal(p.o.format, FORMAT_TABLES);
	assert_null(p.o.output);
	assert_string_equal(p.o.data, "mprof.data");
	assert_false(p.o.trace_children);
}

static void options_of_run_end_at_the_first_argument_that_is_none(void **state)
{
	(void)state;
	assert_int_equal(parse("run", "prog -verbose").first, 1);
	assert_int_equal(parse("run", "-verbose prog -terse").first, 2);
	assert_int_equal(parse("run", "-verbose prog -terse").o.report.level, REPORT_VERBOSE);
	assert_int_equal(parse("run", "-o file prog").first, 3);
	assert_int_equal(parse("run", "-terse").first, 2);
	assert_int_equal(parse("run", "-").first, 1); /* a file's name */
	assert_int_equal(parse("run", "''").first, 1);
}

/* The arguments that are none, as a command finds them. */
static void assert_left(const char *command, const char *args, const char *left)
{
	char text[256] = "";
	struct parsed p = parse(command, args);

	assert_true(p.first >= 0);
	for (char **a = p.o.argv + p.first; *a; a++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " " : "",
			 *a);
	assert_string_equal(text, left);
}

static void options_are_taken_wherever_they_stand(void **state)
{
	struct parsed p = parse("report", "one.data --lines two.data -o out three.data");

	(void)state;
	assert_int_equal(p.first, 4);
	assert_true(p.o.report.lines);
	assert_string_equal(p.o.output, "out");
	assert_left("report", "one.data --lines two.data -o out three.data",
		    "one.data two.data three.data");
	assert_left("report", "one -terse", "one");
	assert_left("attach", "12 --data=x --background", "12");
	assert_left("detach", "12 -o F", "12");
	assert_left("stats", "a - b --humanized no", "a - b");
	assert_left("probes", "prog --hook malloc:m", "prog");
}

static void a_programs_options_are_its_own(void **state)
{
	(void)state;
	assert_left("run", "-terse prog -verbose -o x --", "prog -verbose -o x --");
	assert_left("run", "-terse -- -prog -verbose", "-prog -verbose");
}

static void behind_two_dashes_nothing_is_an_option(void **state)
{
	(void)state;
	assert_left("report", "one -terse -- two -verbose -- three", "one two -verbose -- three");
	assert_int_equal(parse("report", "one -terse -- -verbose").o.report.level, REPORT_TERSE);
	assert_left("report", "one -o=-- two", "one two"); /* that is a file's name */
	assert_string_equal(parse("report", "one -o=-- two").o.output, "--");
}

/* Options behind other arguments are looked up again, so that what was given includes them. */
static void what_was_given_behind_is_told_too(void **state)
{
	char *argv[] = { "mprof", "detach", "12", "--threshold", "5", "34", "-at=peak", NULL };
	struct options o;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	/* --threshold alone means nothing */
	assert_int_equal(options_parse(&o, "detach", 7, argv, 2), -1);
	options_print_given(&o, 0, out);
	fclose(out);
	assert_string_equal(text, "--threshold=5 -at=peak");
	free(text);
}

static bool asks(const char *command, const char *args)
{
	static char text[512];
	char *argv[MAX_ARGS + 1] = { "mprof" };
	int argc = 1;

	snprintf(text, sizeof text, "%s", args);
	for (char *a = strtok(text, " "); a; a = strtok(NULL, " "))
		argv[argc++] = a;
	return options_ask_for_help(command, argc, argv, 1);
}

static void help_may_be_asked_for_wherever_an_option_may_stand(void **state)
{
	(void)state;
	assert_true(asks("run", "--help"));
	assert_true(asks("run", "-terse -o x -h prog"));
	assert_false(asks("run", "prog --help"));
	assert_false(asks("run", "-- --help"));
	assert_true(asks("report", "file -help"));
	assert_false(asks("report", "file -- --help"));
	assert_false(asks("report", "file -o=--help")); /* the name of a file */
	assert_true(asks("report", "file -o --help")); /* which was forgotten here */
	assert_false(asks("report", "file -o - -- --help"));
	assert_false(asks("report", "help h -"));
	assert_true(asks("status", "--help"));
	assert_true(asks("control", "12 -h"));
}

/* Says the help of @command anything of this option? */
static bool is_told(const char *help, const char *name)
{
	static const char common[] = "heap-profile-";
	bool listed = !strncmp(name, common, strlen(common)); /* --heap-profile-{...,NAME,...} */
	char text[64];

	if (listed)
		name += strlen(common);
	/* --heap-profile-{a,b,c}-interval */
	snprintf(text, sizeof text, "%s%.*s", listed ? "" : strlen(name) == 1 ? "-" : "--",
		 listed ? (int)strcspn(name, "-") : 60, name);
	for (const char *at = help; (at = strstr(at, text)); at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz_-", at[strlen(text)]) || listed)
			return true;
	return false;
}

static void the_help_of_a_command_tells_of_its_options(void **state)
{
	static const char *const names[] = { "run", "attach", "detach", "control", "probes",
					     "report", "stats",
					     "log", "doctor" };
	static const char *const synonyms[] = { "output", "offset" };

	(void)state;
	for (size_t c = 0; c < sizeof names / sizeof *names; c++) {
		char *help;
		size_t len;
		FILE *out = open_memstream(&help, &len);

		assert_true(help_print(names[c], out));
		fclose(out);
		for (size_t t = 0; t < n_option_tables; t++) {
			for (const struct option_def *d = option_tables[t]; d->name; d++) {
				bool synonym = !strcmp(d->name, synonyms[0]) ||
					       !strcmp(d->name, synonyms[1]);

				if (d->flags & options_of_command(names[c]) && !synonym &&
				    !is_told(help, d->name))
					fail_msg("mprof help %s does not tell of "
						 "%s", names[c], d->name);
			}
		}
		free(help);
	}
	assert_false(help_print("nonsense", stderr));
}

/* Masks have 64 bits, and an int constant with its highest bit set would be sign-extended. */
static void no_option_is_for_what_no_command_is(void **state)
{
	(void)state;
	for (size_t t = 0; t < n_option_tables; t++)
		for (const struct option_def *d = option_tables[t]; d->name; d++)
			if (d->flags >> 48)
				fail_msg("--%s is for everybody", d->name);
}

static void what_stands_behind_a_program_is_its_own_but_a_number_is_none(void **state)
{
	(void)state;
	assert_int_equal(parse("doctor", "--count=1 prog --zzz").first, 2);
	assert_int_equal(parse("doctor", "4711 --count=1").first, 2);
	assert_true(parse("doctor", "4711 --count=1").o.count_seconds > 0);
	assert_int_equal(parse("doctor", "4711 --zzz").first, -1);
}

static void two_dashes_alone_end_the_options_and_are_dropped(void **state)
{
	(void)state;
	assert_int_equal(parse("run", "-- -verbose").first, 2);
	assert_int_equal(parse("run", "-terse -- prog").first, 3);
	assert_int_equal(parse("run", "--").first, 2);
}

static void one_dash_and_two_mean_the_same(void **state)
{
	(void)state;
	assert_int_equal(parse("run", "-verbose").o.report.level, REPORT_VERBOSE);
	assert_int_equal(parse("run", "--verbose").o.report.level, REPORT_VERBOSE);
	assert_string_equal(parse("run", "--o x").o.output, "x");
	assert_string_equal(parse("run", "-output x").o.output, "x");
}

static void sizes_may_have_suffixes(void **state)
{
	struct parsed p = parse("run", "--min-size=10k --max-size=2M");

	(void)state;
	assert_int_equal(p.first, 3);
	assert_int_equal(p.o.min_size, 10 << 10);
	assert_int_equal(p.o.max_size, 2 << 20);
	assert_int_equal(parse("run", "--max-size=1K --min-size=1025").first, -1);
	assert_int_equal(parse("run", "--min-size=1025 --max-size=1K").first, -1);
	assert_int_equal(parse("run", "--max-size=0").first, -1);
	assert_refused("run", "--min-size=10x",
		       "mprof: option min-size: \"10x\" is not a number of bytes, or one with K, M "
		       "or G, and not above a --max-size\n");
}

static void names_can_be_asked_for_in_many_ways(void **state)
{
	struct parsed p = parse("run", "");

	(void)state;
	assert_false(p.o.report.lines || p.o.view.no_inlines || p.o.view.short_names);
	assert_int_equal(p.o.view.types, VIEW_TYPES_ALL);
	assert_null(p.o.debug_dirs[0]);
	p = parse("report", "-lines --inlines=no --names=short --types=program --symbols-from x "
			    "--debug-dir=a --debug-dir b");
	assert_true(p.o.report.lines && p.o.view.no_inlines && p.o.view.short_names);
	assert_int_equal(p.o.view.types, VIEW_TYPES_PROGRAM);
	assert_string_equal(p.o.symbols_from, "x");
	assert_string_equal(p.o.debug_dirs[0], "a");
	assert_string_equal(p.o.debug_dirs[1], "b");
	assert_null(p.o.debug_dirs[2]);
	p = parse("attach", "--inlines=no --inlines=yes --names=short --names=full --types=none");
	assert_false(p.o.view.no_inlines || p.o.view.short_names);
	assert_int_equal(p.o.view.types, VIEW_TYPES_NONE);
	assert_refused("run", "--names=long",
		       "mprof: option names: \"long\" is not full or short\n");
	assert_refused("run", "--inlines=1", "mprof: option inlines: \"1\" is not yes or no\n");
	assert_refused("run",
		       "--types=", "mprof: option types: \"\" is not all, program or none\n");
	assert_refused("run", "--symbols-from=x",
		       "mprof: unknown option --symbols-from=x for mprof run (it is for detach, "
		       "report, diff); see mprof help run\n");
	assert_refused("report", "--debug-dir=",
		       "mprof: option debug-dir: \"\" is not a folder, 16 of them at most\n");
}

static void of_options_that_exclude_one_another_the_last_holds(void **state)
{
	(void)state;
	assert_int_equal(parse("run", "-verbose -terse").o.report.level, REPORT_TERSE);
	assert_int_equal(parse("run", "-terse -verbose -normal").o.report.level, REPORT_NORMAL);
	assert_int_equal(parse("run", "-offsets -leaktable").o.report.leaks, REPORT_LEAKS);
	assert_int_equal(parse("run", "-leaktable -noleaktable").o.report.leaks, REPORT_NO_LEAKS);
	assert_int_equal(parse("run", "-noleaktable -offsets").o.report.leaks,
			 REPORT_LEAKS_OFFSETS);
	assert_int_equal(parse("run", "-noleaktable -verbose").o.report.leaks, REPORT_NO_LEAKS);
	assert_string_equal(parse("run", "-o a --output=b").o.output, "b");
}

/* The manual of 1990 has both names. */
static void offset_is_offsets(void **state)
{
	(void)state;
	assert_int_equal(parse("report", "-offset").o.report.leaks, REPORT_LEAKS_OFFSETS);
	assert_int_equal(parse("report", "-offsets").o.report.leaks, REPORT_LEAKS_OFFSETS);
}

static void a_value_comes_behind_an_equals_sign_or_as_the_next_argument(void **state)
{
	struct parsed p;

	(void)state;
	p = parse("run", "--format=json --output=a=b --data=%p.data --trace-children=yes prog");
	assert_int_equal(p.first, 5);
	assert_int_equal(p.o.format, FORMAT_JSON);
	assert_string_equal(p.o.output, "a=b");
	assert_string_equal(p.o.data, "%p.data");
	assert_true(p.o.trace_children);
	p = parse("run", "--format json -o out --data -dashed --trace-children no prog");
	assert_int_equal(p.first, 9);
	assert_int_equal(p.o.format, FORMAT_JSON);
	assert_string_equal(p.o.output, "out");
	assert_string_equal(p.o.data, "-dashed");
	assert_false(p.o.trace_children);
	p = parse("run", "--format json --format tables");
	assert_int_equal(p.o.format, FORMAT_TABLES);
}

static void an_unknown_option_is_refused_with_its_name(void **state)
{
	(void)state;
	assert_refused("run", "--nonsense",
		       "mprof: unknown option --nonsense for mprof run; see mprof help run\n");
	assert_refused("run", "-verb",
		       "mprof: unknown option -verb for mprof run: did you mean -verbose? See "
		       "mprof help run\n");
	assert_refused("run", "-verbosely",
		       "mprof: unknown option -verbosely for mprof run: did you mean -verbose? See "
		       "mprof help run\n");
	assert_refused("run", "--=x",
		       "mprof: unknown option --=x for mprof run; see mprof help run\n");
	assert_refused("run", "-verbose -x -terse",
		       "mprof: unknown option -x for mprof run (it is for detach, report, diff); "
		       "see mprof help run\n");
}

/* A command that only prints a profile has nothing to follow or to write. */
static void options_of_run_are_unknown_to_report(void **state)
{
	(void)state;
	assert_refused("report", "--data=x",
		       "mprof: unknown option --data=x for mprof report (it is for run, attach, "
		       "top); see mprof help report\n");
	assert_refused("report", "--trace-children yes",
		       "mprof: unknown option --trace-children for mprof report (it is for run, "
		       "attach); see mprof help report\n");
	assert_int_equal(parse("report", "--format=json -o x -verbose").first, 5);
}

static void a_missing_value_is_asked_for(void **state)
{
	(void)state;
	assert_refused("run", "--format",
		       "mprof: option --format needs a value: tables, json, massif, ms_print, "
		       "text, folded, heap, pprof, dot or html\n");
	assert_refused("run", "-terse -o", "mprof: option -o needs a value: a file name\n");
	assert_refused("run", "--trace-children",
		       "mprof: option --trace-children needs a value: yes or no\n");
}

static void an_option_is_not_taken_for_the_value_of_another(void **state)
{
	(void)state;
	assert_refused("run", "--html --data=x",
		       "mprof: option --html needs a value, and --data=x behind it looks like an "
		       "option; if it is meant, write --html=--data=x\n");
	assert_refused("run", "-data -terse",
		       "mprof: option -data needs a value, and -terse behind it looks like an "
		       "option; if it is meant, write -data=-terse\n");
	assert_refused("run", "-o -- prog",
		       "mprof: option -o needs a value, and -- behind it looks like an option; if "
		       "it is meant, write -o=--\n");
	assert_refused("report", "-o --nonsense x",
		       "mprof: option -o needs a value, and --nonsense behind it looks like an "
		       "option; if it is meant, write -o=--nonsense\n");
	assert_string_equal(parse("run", "--html=--data=x").o.html, "--data=x");
	assert_true(parse("run", "-o -").o.to_stdout);
	assert_string_equal(parse("run", "--data -").o.data, "-");
	assert_string_equal(parse("run", "--data ./--x").o.data, "./--x");
	/* No option has this name. */
	assert_string_equal(parse("run", "--data -mine").o.data, "-mine");
}

static void a_wrong_value_is_shown_with_what_would_do(void **state)
{
	(void)state;
	assert_refused(
		"run", "--format=xml",
		"mprof: option format: \"xml\" is not tables, json, massif, ms_print, text, "
		"folded, heap, pprof, dot or html\n");
	assert_refused(
		"run", "--format=",
		"mprof: option format: \"\" is not tables, json, massif, ms_print, text, folded, "
		"heap, pprof, dot or html\n");
	assert_refused("run", "--trace-children=maybe",
		       "mprof: option trace-children: \"maybe\" is not yes or no\n");
	assert_refused("run", "--output=", "mprof: option output: \"\" is not a file name\n");
	assert_refused("run", "--data ''", "mprof: option data: \"\" is not a file name\n");
}

static void a_value_too_many_is_refused(void **state)
{
	(void)state;
	assert_refused("run", "--verbose=yes", "mprof: option --verbose takes no value\n");
	assert_refused("run", "-offsets=", "mprof: option -offsets takes no value\n");
}

static void control_characters_of_an_option_do_not_reach_the_terminal(void **state)
{
	(void)state;
	assert_refused("run", "-\x1b[2J",
		       "mprof: unknown option -\\033[2J for mprof run; see mprof help run\n");
	assert_refused("run", "--format=\x1b]0;x\x07",
		       "mprof: option format: \"\\033]0;x\\007\" is not tables, json, massif, "
		       "ms_print, text, folded, heap, pprof, dot or html\n");
}

static void what_is_said_is_one_line_however_long_it_is(void **state)
{
	char said[4096], text[3000];
	FILE *file;
	int saved;

	(void)state;
	memset(text, 'x', sizeof text);
	text[100] = '\n';
	text[sizeof text - 1] = '\0';
	capture_begin(&file, &saved);
	say("%s", text);
	capture_end(file, saved, said, sizeof said);
	assert_int_equal(strncmp(said, "mprof: xxx", 10), 0);
	assert_int_equal(strcspn(said, "\n"), strlen(said) - 1);
}

static void massifs_options_have_massifs_defaults(void **state)
{
	struct parsed p = parse("run", "x");
	const struct massif_settings *s = &p.o.massif.settings;

	(void)state;
	assert_null(p.o.massif.file);
	assert_true(s->heap && !s->stacks && !s->pages && s->unit == MASSIF_INSTRUCTIONS);
	assert_true(s->heap_admin == 8 && s->alignment == 16 && s->threshold == 1.0 &&
		    s->filter.depth == 30);
	assert_true(s->rules.max_snapshots == 100 && s->rules.detailed_freq == 10);
	assert_true(s->rules.peak_inaccuracy == 1.0);
	assert_true(p.o.massif.columns == 72 && p.o.massif.rows == 20 &&
		    p.o.timeline_points == 1000);
	p = parse("run", "--massif-out-file x");
	assert_string_equal(p.o.massif.file, "massif.out.%p");
	assert_int_equal(p.first, 2); /* its value stands behind a "=" only */
}

static void pages_have_neither_bookkeeping_nor_rounding(void **state)
{
	struct parsed p =
		parse("run",
		      "--massif-out-file --pages-as-heap=yes --heap-admin=100 --alignment=64");
	const struct massif_settings *s = &p.o.massif.settings;

	(void)state;
	assert_true(s->pages && !s->heap && massif_extra(s, 17) == 0);
	p = parse("run", "--massif-out-file --pages-as-heap=yes --heap=no");
	assert_true(!p.o.massif.settings.pages && !p.o.massif.settings.heap);
	assert_refused("run", "--massif-out-file --stacks=yes --pages-as-heap=yes",
		       "mprof: --pages-as-heap=yes measures stacks, too: it does not go with "
		       "--stacks=yes\n");
}

static void an_option_that_nobody_would_obey_is_refused(void **state)
{
	static const char *const of_files[] = { "heap=no", "stacks=yes", "pages-as-heap=yes",
						"peak-inaccuracy=0",
						"detailed-freq=3" };
	static const char *const of_prints[] = { "threshold=2", "time-unit=B", "max-snapshots=50" };
	char args[64], why[128];

	(void)state;
	for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++) {
		snprintf(args, sizeof args, "--%s", of_files[i]);
		snprintf(why, sizeof why, "mprof: option %.*s means nothing without "
					  "--massif-out-file\n",
			 (int)strcspn(of_files[i], "="), of_files[i]);
		assert_refused("run", args, why);
		assert_refused("attach", args, why);
		snprintf(args, sizeof args, "--%s --massif-out-file", of_files[i]);
		assert_int_not_equal(parse("run", args).first, -1);
	}
	for (size_t i = 0; i < sizeof of_prints / sizeof *of_prints; i++) {
		snprintf(args, sizeof args, "--%s", of_prints[i]);
		snprintf(why, sizeof why, "mprof: option %.*s means nothing without "
					  "--massif-out-file\n",
			 (int)strcspn(of_prints[i], "="), of_prints[i]);
		assert_refused("run", args, why);
		snprintf(why, sizeof why, "mprof: option %.*s means nothing without "
					  "--format=massif or ms_print\n",
			 (int)strcspn(of_prints[i], "="), of_prints[i]);
		assert_refused("report", args, why);
		snprintf(args, sizeof args, "--%s --format=massif", of_prints[i]);
		assert_int_not_equal(parse("report", args).first, -1);
	}
	assert_refused("report", "--x=50 --format=massif",
		       "mprof: option x means nothing without --format=ms_print\n");
	assert_refused("report", "--y 50",
		       "mprof: option y means nothing without --format=ms_print\n");
	assert_int_not_equal(parse("report", "--y 50 --format=ms_print").first, -1);
	/* The timeline's extra bytes, the tables and heap profiles have use for these. */
	assert_int_not_equal(
		parse("run", "--heap-admin=0 --alignment=8 --alloc-fn=a --ignore-fn=b --depth=7")
			.first,
		-1);
}

static void what_was_given_can_be_told_again(void **state)
{
	char *argv[] = { "mprof", "run", "--depth", "5", "--data=d", "-ignore-fn=f(int)", "--wait",
			 "pin", "--",
			 "--depth=3", NULL };
	struct options o;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(options_parse(&o, "run", 10, argv, 2), 9);
	options_print_given(&o, OF_MASSIF, out);
	fputc('|', out);
	options_print_given(&o, 0, out);
	fclose(out);
	assert_string_equal(text, "--depth=5 -ignore-fn=f(int)|"
				  "--depth=5 --data=d -ignore-fn=f(int) --wait=pin");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_the_defaults_hold),
		cmocka_unit_test(options_of_run_end_at_the_first_argument_that_is_none),
		cmocka_unit_test(two_dashes_alone_end_the_options_and_are_dropped),
		cmocka_unit_test(options_are_taken_wherever_they_stand),
		cmocka_unit_test(a_programs_options_are_its_own),
		cmocka_unit_test(behind_two_dashes_nothing_is_an_option),
		cmocka_unit_test(what_was_given_behind_is_told_too),
		cmocka_unit_test(help_may_be_asked_for_wherever_an_option_may_stand),
		cmocka_unit_test(the_help_of_a_command_tells_of_its_options),
		cmocka_unit_test(one_dash_and_two_mean_the_same),
		cmocka_unit_test(sizes_may_have_suffixes),
		cmocka_unit_test(names_can_be_asked_for_in_many_ways),
		cmocka_unit_test(of_options_that_exclude_one_another_the_last_holds),
		cmocka_unit_test(offset_is_offsets),
		cmocka_unit_test(a_value_comes_behind_an_equals_sign_or_as_the_next_argument),
		cmocka_unit_test(an_unknown_option_is_refused_with_its_name),
		cmocka_unit_test(options_of_run_are_unknown_to_report),
		cmocka_unit_test(a_missing_value_is_asked_for),
		cmocka_unit_test(an_option_is_not_taken_for_the_value_of_another),
		cmocka_unit_test(a_wrong_value_is_shown_with_what_would_do),
		cmocka_unit_test(a_value_too_many_is_refused),
		cmocka_unit_test(control_characters_of_an_option_do_not_reach_the_terminal),
		cmocka_unit_test(massifs_options_have_massifs_defaults),
		cmocka_unit_test(pages_have_neither_bookkeeping_nor_rounding),
		cmocka_unit_test(an_option_that_nobody_would_obey_is_refused),
		cmocka_unit_test(what_was_given_can_be_told_again),
		cmocka_unit_test(no_option_is_for_what_no_command_is),
		cmocka_unit_test(what_stands_behind_a_program_is_its_own_but_a_number_is_none),
		cmocka_unit_test(what_is_said_is_one_line_however_long_it_is),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
