/* SPDX-License-Identifier: BSD-2-Clause */

#include "report/growth.h"

#include "unit/unit.h"
#include "unit/pd_build.h"

#include <errno.h>
#include <jansson.h>

static const char head[] = "MPROF: growth ";

/* The report without its heads, blanks squeezed. */
static char *report_as(const struct report_options *o, const struct profile_data *now,
		       const struct profile_data *base)
{
	static char text[16384];
	char *raw = NULL;
	size_t len, n = 0;
	FILE *out = open_memstream(&raw, &len);

	assert_non_null(out);
	assert_int_equal(report_growth(now, base, o, out), 0);
	assert_int_equal(fclose(out), 0);
	assert_true(!strncmp(raw, head, strlen(head)));
	for (const char *s = raw; *s; s++)
		if (*s != ' ' || (n && text[n - 1] != ' ' && text[n - 1] != '\n'))
			text[n++] = *s;
	text[n] = '\0';
	free(raw);
	return text;
}

static char *report_of(const struct profile_data *now, const struct profile_data *base)
{
	return report_as(&(struct report_options){ .level = REPORT_NORMAL, .leaks = REPORT_LEAKS },
			 now, base);
}

static void assert_has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%s", line, text);
}

static void numbers_are_differences_and_less_is_marked(void **state)
{
	struct profile_data *now = profile_data_new(), *base = profile_data_new();

	(void)state;
	/* The functions come up in another order: numbers must not matter. */
	pd_build_chain(base, "main+9 > old", 10, 7, 7);
	pd_build_chain(base, "main+3 > f", 100, 4, 1);
	pd_build_finish(base);
	pd_build_chain(now, "main+3 > f+8", 100, 9, 2);
	pd_build_chain(now, "main+5 > fresh", 50, 3, 0);
	pd_build_type(now, 50, "thing", 0);
	pd_build_finish(now);
	char *text = report_of(now, base);
	assert_has(text, "MPROF: growth since the base; what is negative has become less\n");
	assert_has(text, "\n10 -7 -70 -7 0\n");
	assert_has(text, "\n50 +3 +150 0 +150 thing\n");
	assert_has(text, "\n100 +5 +500 +1 +400\n");
	assert_has(text, "\n<TOTAL> +1 +580 -6 +550\n");
	assert_has(text, "\n+5 +500 +1 +400 || > main > f\n");
	assert_has(text, "\n-7 -70 -7 0 old (less)\n");
	assert_has(text, "\n+1 +580 -6 +550 main\n");
	assert_has(text, "\n+3 +150 0 +150 in fresh\n");
	assert_null(strstr(text, "|| > main > old")); /* nothing of it was kept, before or now */
	text = report_of(base, now);
	assert_has(text, "\n<TOTAL> -1 -580 +6 -550 (less)\n");
	assert_has(text, "\n-3 -150 0 -150 || > main > fresh (less)\n");
	profile_data_free(now);
	profile_data_free(base);
}

static void set_line(struct profile_data *d, const char *function, uint64_t offset,
		     const char *file, uint32_t line)
{
	struct pd_site *s = &d->sites[pd_build_site(d, function, offset)];

	s->file = strdup(file);
	s->line = line;
}

/* main calls f in two lines; in the other profile its code has moved, and so has the source
 * tree. */
static void lines_and_offsets_tell_paths_apart(void **state)
{
	struct profile_data *now = profile_data_new(), *base = profile_data_new();
	struct report_options o = { .level = REPORT_NORMAL, .leaks = REPORT_LEAKS };

	(void)state;
	pd_build_chain(base, "main+1 > f+5", 10, 1, 0);
	pd_build_chain(base, "main+2 > f+5", 10, 2, 0);
	pd_build_finish(base);
	pd_build_chain(now, "main+1 > f+5", 10, 2, 0);
	pd_build_chain(now, "main+7 > f+5", 10, 5, 0);
	pd_build_finish(now);
	set_line(base, "main", 1, "/old/main.c", 12);
	set_line(base, "main", 2, "/old/main.c", 14);
	set_line(now, "main", 1, "/new/main.c", 12);
	set_line(now, "main", 7, "/new/main.c", 14);
	char *text = report_as(&o, now, base);
	assert_has(text, "\n+4 +40 0 +40 || > main > f\n");
	o.lines = true;
	text = report_as(&o, now, base);
	assert_has(text, "\n+3 +30 0 +30 || > main (main.c:14) > f\n+1 +10 0 +10 || > main "
			 "(main.c:12) > f\n");
	o = (struct report_options){ .level = REPORT_NORMAL, .leaks = REPORT_LEAKS_OFFSETS };
	text = report_as(&o, now, base);
	assert_has(text, "\n+5 +50 0 +50 || > main+7 > f+5\n+1 +10 0 +10 || > main+1 > f+5\n"
			 "-2 -20 0 -20 || > main+2 > f+5 (less)\n");
	o.lines = true;
	text = report_as(&o, now, base);
	assert_has(text, "|| > main+7 (main.c:14) > f+5\n");
	o.leaks = REPORT_NO_LEAKS;
	text = report_as(&o, now, base);
	assert_null(strstr(text, "Leaks"));
	assert_null(strstr(text, "||"));
	assert_has(text, "Growth of Direct Allocation");
	o.at_peak = true;
	o.leaks = REPORT_LEAKS;
	text = report_as(&o, now, base);
	assert_has(text, "blocks bytes frees live path\n");
	assert_null(strstr(text, "Leaks"));
	assert_has(text, "MPROF: growth of what was live at the peak since the base; what is "
			 "negative has become less\n");
	profile_data_free(now);
	profile_data_free(base);
}

/* 9900 bytes more in one place, 100 less in another, which is 1%, and 50 and -50 in two. */
static void what_is_a_thousandth_of_all_is_left_out_unless_all_is_asked_for(void **state)
{
	struct profile_data *now = profile_data_new(), *base = profile_data_new();
	struct report_options o = { .level = REPORT_NORMAL, .leaks = REPORT_LEAKS };

	(void)state;
	pd_build_chain(base, "main > large", 100000, 1, 0);
	pd_build_finish(base);
	for (int i = 0; i < 12; i++) {
		char chain[32];

		snprintf(chain, sizeof chain, "main > f%d", i);
		pd_build_chain(now, chain, 102 + i, 1, 0);
	}
	pd_build_chain(now, "main > large", 100000, 1, 0);
	pd_build_chain(now, "main > slight", 100, 1, 0);
	pd_build_finish(now);
	char *text = report_as(&o, now, base);
	assert_has(text, "\n113 +1 +113 0 +113\n\nothers +1 +100 0 +100 1 sizes\n");
	assert_has(text, "\n+1 +100 0 +100 1 other path\n");
	assert_has(text, "more +104 bytes in +1 block f2\nand 3 more that have become more\n");
	assert_has(text, "; --verbose has all\n");
	o.level = REPORT_VERBOSE;
	text = report_as(&o, now, base);
	assert_has(text, "\n+1 +100 0 +100 || > main > slight\n");
	assert_has(text, "more +100 bytes in +1 block slight\n");
	assert_null(strstr(text, "others"));
	o = (struct report_options){ .level = REPORT_NORMAL, .summary = true };
	text = report_as(&o, now, base);
	assert_null(strstr(text, "Growth"));
	profile_data_free(now);
	profile_data_free(base);
}

static void terse_leaves_out_what_has_hardly_changed_and_counts_it(void **state)
{
	struct profile_data *now = profile_data_new(), *base = profile_data_new();
	struct report_options o = { .level = REPORT_TERSE, .leaks = REPORT_LEAKS };

	(void)state;
	pd_build_chain(base, "main > less", 100, 1, 0);
	pd_build_chain(base, "main > hardly", 50, 1, 0);
	pd_build_finish(base);
	pd_build_chain(now, "main > more", 9800, 1, 0);
	pd_build_chain(now, "main > little", 25, 2, 0);
	pd_build_finish(now);
	char *text = report_as(&o, now, base);
	assert_has(text, "\n9800 +1 +9800 0 +9800\n\nothers 0 -100 0 -100 3 sizes (less)\n"
			 "<TOTAL> +1 +9700 0 +9700\n");
	assert_has(text, "\n+1 +9800 0 +9800 || > main > more\n0 -100 0 -100 3 other paths\n");
	assert_has(text, "\n+1 +9800 0 +9800 more\n0 -100 0 -100 3 other functions\n");
	assert_has(text, "\n+1 +9700 0 +9700 main\n+1 +9800 0 +9800 in more\n----\n");
	assert_has(text, "\n3 functions and 3 calls of one by another are left out: none has "
			 "changed by more than 1% of all\n");
	assert_null(strstr(text, "> hardly"));
	/* What matters first has all that there is room for. */
	assert_has(text, "\nkept +9700 bytes (150 before, 9850 now)\n");
	assert_has(text, ":\nmore +9800 bytes in +1 block more\n"
			 "more +50 bytes in +2 blocks little\n"
			 "less -100 bytes in -1 block less\nless -50 bytes in -1 block hardly\n");
	o.level = REPORT_VERBOSE;
	text = report_as(&o, now, base);
	assert_has(text, "|| > main > hardly (less)\n");
	assert_null(strstr(text, "other"));
	/* What is freed less is kept more: the bytes requested alone do not decide. */
	o.level = REPORT_TERSE;
	struct profile_data *kept = profile_data_new();
	pd_build_chain(kept, "main > more", 9800, 1, 1);
	pd_build_finish(kept);
	text = report_as(&o, now, kept);
	assert_has(text, "\n9800 0 0 -1 +9800\n");
	profile_data_free(kept);
	profile_data_free(now);
	profile_data_free(base);
}

static void what_is_the_same_is_left_out(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "main > f", 100, 9, 2);
	pd_build_finish(d);
	char *text = report_of(d, d);
	assert_string_equal(text,
			    "MPROF: growth since the base; what is negative has become less\n\n\n"
			    "Nothing has changed: both have the same by size, by path and "
			    "by function.\n");
	profile_data_free(d);
}

static void recursion_counts_once_and_long_paths_are_cut(void **state)
{
	struct profile_data *now = profile_data_new(), *base = profile_data_new();

	(void)state;
	pd_build_chain(now, "main > f > g > f > g > f", 8, 10, 0);
	pd_build_finish(now);
	pd_build_finish(base);
	char *text = report_of(now, base);
	assert_has(text, "\n+10 +80 0 +80 ... > f > g > f > g > f\n");
	assert_has(text, "\n+10 +80 0 +80 from main\n+10 +80 0 +80 from g\n+10 +80 0 +80 f\n"
			 "+10 +80 0 +80 in g\n");
	profile_data_free(now);
	profile_data_free(base);
}

/* Of module 0, which is the program, is what is not called l1, l2, ... */
static struct profile_data *deep_in_a_library(uint64_t allocs)
{
	static const char *const paths[] = { "/opt/app/server", "/usr/lib/libdeep.so.1" };
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > serve > l1 > l2 > l3 > l4 > l5 > l6", 10, allocs, 0);
	pd_build_chain(d, "main > other > l1 > l2 > l3 > l4 > l5 > l6", 10, 2 * allocs, 0);
	pd_build_chain(d, "l0 > l1 > l2 > l3 > l4 > l5 > l6", 10, 1, 0);
	pd_build_chain(d, "main > a > b > c > d > e", 1, allocs, 0);
	pd_build_finish(d);
	d->modules = calloc(2, sizeof *d->modules);
	assert_non_null(d->modules);
	for (; d->n_modules < 2; d->n_modules++)
		d->modules[d->n_modules] =
			(struct pd_module){ strdup(paths[d->n_modules]), strdup(""), strdup("") };
	d->program = 0;
	for (size_t i = 0; i < d->n_functions; i++)
		d->functions[i].module = d->functions[i].name[0] == 'l';
	return d;
}

static void a_path_goes_as_far_as_own_code(void **state)
{
	struct profile_data *now = deep_in_a_library(3), *base = deep_in_a_library(1);
	char *text = report_of(now, base);

	(void)state;
	assert_has(text, "\n+4 +40 0 +40 ... > other > l1 > l2 > l3 > l4 > l5 > l6\n"
			 "+2 +20 0 +20 ... > serve > l1 > l2 > l3 > l4 > l5 > l6\n"
			 "+2 +2 0 +2 ... > a > b > c > d > e\n");
	profile_data_free(now);
	now = deep_in_a_library(1);
	pd_build_chain(now, "l0 > l1 > l2 > l3 > l4 > l5 > l6", 10, 5, 0);
	pd_build_finish(now);
	/* where there is none it is five */
	assert_has(report_of(now, base), "\n+5 +50 0 +50 ... > l2 > l3 > l4 > l5 > l6\n");
	profile_data_free(now);
	profile_data_free(base);
}

static struct profile_data *with_module(const char *path, const char *id, uint64_t address)
{
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "f", 8, 1, 0);
	pd_build_chain(d, "f#2", 8, 1, 0);
	pd_build_finish(d);
	d->modules = calloc(1, sizeof *d->modules);
	d->modules[0] = (struct pd_module){ strdup(path), strdup(id), strdup("") };
	d->n_modules = 1;
	d->functions[0].module = d->functions[1].module = 0;
	d->functions[0].address = address;
	return d;
}

static size_t functions_of_program(const char *path, const char *id, bool is_program)
{
	struct profile_data *now = with_module("/a/prog-1.0", "1234", 0x500),
			    *base = with_module(path, id, 0x900);
	struct growth g;

	now->program = 0;
	base->program = is_program ? 0 : PD_NONE;
	assert_int_equal(growth_find(&g, LEAKS_BY_FUNCTION, now, base), 0);
	size_t n = g.n_functions;
	growth_release(&g);
	profile_data_free(now);
	profile_data_free(base);
	return n;
}

static size_t functions_of(const char *path, const char *id, uint64_t address)
{
	struct profile_data *now = with_module("/a/prog", "1234", 0x500),
			    *base = with_module(path, id, address);
	struct growth g;

	assert_int_equal(growth_find(&g, LEAKS_BY_FUNCTION, now, base), 0);
	size_t n = g.n_functions;
	growth_release(&g);
	profile_data_free(now);
	profile_data_free(base);
	return n;
}

static struct profile_data *with_runtime(uint64_t requests)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	d->modules = calloc(2, sizeof *d->modules);
	assert_non_null(d->modules);
	d->modules[d->n_modules++] =
		(struct pd_module){strdup("/opt/tool"), strdup(""), strdup("")};
	d->modules[d->n_modules++] =
		(struct pd_module){strdup("/lib/libc.so.6"), strdup(""), strdup("")};
	d->program = 0;
	pd_build_chain(d, "main > keep", 10, requests, 0);
	if (requests > 1)
		pd_build_chain(d, "main > say > _IO_file_doallocate", 4096, 1, 0);
	for (size_t i = 0; i < d->n_functions; i++)
		d->functions[i].module = !strcmp(d->functions[i].name, "_IO_file_doallocate");
	pd_build_finish(d);
	return d;
}

/* As in the summary. */
static void what_the_runtime_keeps_is_no_functions(void **state)
{
	struct profile_data *now = with_runtime(3), *base = with_runtime(1);

	(void)state;
	char *text = report_as(&(struct report_options){.level = REPORT_NORMAL, .summary = true},
			       now, base);
	assert_has(text, "kept +4116 bytes (10 before, 4126 now)\n");
	assert_has(text, "more +20 bytes in +2 blocks keep");
	assert_has(text, "kept by the runtime, in no row: +4096 bytes (stdio buffers +4096)\n");
	assert_null(strstr(text, "blocks say"));
	assert_null(strstr(text, "block say"));
	profile_data_free(now);
	profile_data_free(base);
}

static void functions_are_matched_by_file_and_build(void **state)
{
	(void)state;
	/* "?" is one; static functions of one name are two in the same build, */
	assert_int_equal(functions_of("/a/prog", "1234", 0x500), 3);
	assert_int_equal(functions_of("/a/prog", "1234", 0x700), 4);
	/* cannot be told apart in another, which may lie elsewhere, */
	assert_int_equal(functions_of("/b/prog", "5678", 0x900), 3);
	/* and are others in another file. */
	assert_int_equal(functions_of("/a/lib", "5678", 0x500), 5);
}

static struct profile_data *with_nameless(const char *id)
{
	struct profile_data *d = with_module("/a/lib.so", id, 0x500);

	free(d->functions[0].name);
	d->functions[0].name = strdup("lib.so+0x500");
	return d;
}

static size_t functions_with_nameless(const char *now_id, const char *base_id)
{
	struct profile_data *now = with_nameless(now_id), *base = with_nameless(base_id);
	struct growth g;

	assert_int_equal(growth_find(&g, LEAKS_BY_FUNCTION, now, base), 0);
	size_t n = g.n_functions;
	growth_release(&g);
	profile_data_free(now);
	profile_data_free(base);
	return n;
}

static void what_nothing_names_is_something_else_in_another_build(void **state)
{
	(void)state;
	assert_int_equal(functions_with_nameless("1234", "1234"), 3);
	assert_int_equal(functions_with_nameless("1234", "5678"), 4);
	/* nobody knows */
	assert_int_equal(functions_with_nameless("1234", ""), 3);
	assert_int_equal(functions_with_nameless("", ""), 3);
}

static void programs_of_other_names_are_matched(void **state)
{
	(void)state;
	/* a copy; at another address it is another static function */
	assert_int_equal(functions_of("/b/copy", "1234", 0x500), 3);
	assert_int_equal(functions_of("/b/copy", "1234", 0x700), 4);
	assert_int_equal(functions_of_program("/a/prog-2.0", "5678", true), 3);
	assert_int_equal(functions_of_program("/a/prog-2.0", "5678", false), 5);
}

/* ---- both sides of it ---- */

static json_t *sides_of(enum leaks_key key, const struct profile_data *now,
			const struct profile_data *base)
{
	struct growth_sides s;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(growth_sides_find(&s, key, now, base), 0);
	assert_int_equal(report_growth_json(&s, now, base, out), 0);
	growth_sides_release(&s);
	fclose(out);
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(j);
	free(text);
	return j;
}

static const json_t *row_of(const json_t *j, const char *list, size_t i)
{
	const json_t *row = json_array_get(json_object_get(j, list), i);

	assert_non_null(row);
	return row;
}

static void assert_figures(const json_t *row, const char *side, int allocs, int bytes, int frees,
			   int kept_blocks, int kept_bytes)
{
	json_t *want = json_pack("{si si si si si}", "allocs", allocs, "bytes", bytes, "frees",
				 frees, "kept_blocks", kept_blocks, "kept_bytes", kept_bytes);

	if (!json_equal(json_object_get(row, side), want))
		fail_msg("%s: %s", side, json_dumps(row, 0));
	json_decref(want);
}

static void json_tells_what_of_a_path_the_runtime_keeps(void **state)
{
	struct profile_data *now = with_runtime(3), *base = with_runtime(1);
	json_t *j = sides_of(LEAKS_BY_FUNCTION, now, base);
	const json_t *paths = json_object_get(j, "paths");
	json_t *want = json_pack("[{ss si si}]", "kind", "stdio buffers", "before", 0, "now", 4096);

	(void)state;
	assert_true(json_equal(json_object_get(j, "runtime"), want));
	json_decref(want);
	assert_int_equal(json_array_size(paths), 2);
	for (size_t i = 0; i < 2; i++) {
		const json_t *row = json_array_get(paths, i);
		bool says = json_array_size(json_object_get(row, "path")) == 3;

		want = says ? json_pack("{s{si si} s{si si}}", "before", "kept_blocks", 0,
					"kept_bytes", 0, "now", "kept_blocks", 1, "kept_bytes",
					4096)
			    : NULL;
		assert_true(want ? json_equal(json_object_get(row, "runtime"), want)
				 : !json_object_get(row, "runtime"));
		json_decref(want);
	}
	json_decref(j);
	profile_data_free(now);
	profile_data_free(base);
}

static void json_has_both_sides_of_what_has_changed(void **state)
{
	struct profile_data *now = profile_data_new(), *base = profile_data_new();

	(void)state;
	pd_build_chain(base, "main+9 > old", 10, 7, 6);
	pd_build_chain(base, "main+3 > f", 100, 4, 1);
	pd_build_chain(base, "main+3 > same", 30, 4, 1);
	pd_build_type(base, 10, "gone", 0);
	pd_build_finish(base);
	pd_build_chain(now, "main+3 > f+8", 100, 9, 2);
	pd_build_chain(now, "main+5 > fresh", 50, 3, 0);
	pd_build_chain(now, "main+3 > same", 30, 4, 1);
	pd_build_type(now, 50, "thing", 0);
	pd_build_finish(now);
	json_t *j = sides_of(LEAKS_BY_FUNCTION, now, base);

	assert_figures(j, "before", 15, 590, 8, 7, 400);
	assert_figures(j, "now", 16, 1170, 3, 13, 940);
	assert_int_equal(json_array_size(json_object_get(j, "sizes")), 3);
	assert_int_equal(json_array_size(json_object_get(j, "paths")), 3);
	assert_int_equal(json_array_size(json_object_get(j, "direct")), 3);
	const json_t *row = row_of(j, "sizes", 0);
	assert_int_equal(json_integer_value(json_object_get(row, "size")), 100);
	assert_figures(row, "before", 4, 400, 1, 3, 300);
	assert_figures(row, "now", 9, 900, 2, 7, 700);
	row = row_of(j, "sizes", 2);
	assert_string_equal(json_string_value(json_array_get(json_object_get(row, "types"), 0)),
			    "gone");
	assert_figures(row, "now", 0, 0, 0, 0, 0);
	row = row_of(j, "paths", 1);
	const json_t *path = json_object_get(row, "path"), *inner = json_array_get(path, 1);
	assert_string_equal(json_string_value(json_object_get(inner, "function")), "fresh");
	assert_true(json_is_null(json_object_get(inner, "line")));
	assert_true(json_is_false(json_object_get(row, "truncated")));
	assert_figures(row, "before", 0, 0, 0, 0, 0);
	assert_figures(row, "now", 3, 150, 0, 3, 150);
	row = row_of(j, "direct", 2);
	assert_string_equal(json_string_value(json_object_get(row, "function")), "old");
	assert_figures(row, "before", 7, 70, 6, 1, 10);
	json_decref(j);
	profile_data_free(now);
	profile_data_free(base);
}

static void json_has_of_a_place_what_tells_paths_apart(void **state)
{
	struct profile_data *now = profile_data_new(), *base = profile_data_new();

	(void)state;
	pd_build_chain(now, "main+7 > f+5", 10, 5, 0);
	pd_build_finish(now);
	pd_build_finish(base);
	set_line(now, "main", 7, "/new/main.c", 14);
	for (enum leaks_key key = LEAKS_BY_FUNCTION; key <= LEAKS_BY_LINE; key++) {
		json_t *j = sides_of(key, now, base);
		const json_t *site = json_array_get(
			json_object_get(row_of(j, "paths", 0), "path"), 0);
		const json_t *line = json_object_get(site, "line"),
			     *offset = json_object_get(site, "offset");

		assert_string_equal(json_string_value(json_object_get(site, "file")),
				    "/new/main.c");
		assert_int_equal(json_integer_value(line), key == LEAKS_BY_LINE ? 14 : 0);
		assert_int_equal(json_is_null(line), key != LEAKS_BY_LINE);
		assert_int_equal(json_integer_value(offset), key == LEAKS_BY_SITE ? 7 : 0);
		assert_int_equal(json_is_null(offset), key != LEAKS_BY_SITE);
		json_decref(j);
	}
	profile_data_free(now);
	profile_data_free(base);
}

/* The file of each function, whichever profile has it. */
static void json_has_the_modules_of_either(void **state)
{
	struct profile_data *now = with_module("/a/prog", "1234", 0x500),
			    *base = with_module("/a/lib", "5678", 0x500);
	json_t *j = sides_of(LEAKS_BY_FUNCTION, now, base);

	(void)state;
	assert_string_equal(
		json_string_value(json_object_get(row_of(j, "direct", 0), "module")), "/a/prog");
	assert_string_equal(
		json_string_value(json_object_get(row_of(j, "direct", 2), "module")), "/a/lib");
	json_decref(j);
	profile_data_free(now);
	profile_data_free(base);
}

static void a_growth_that_cannot_be_written_is_told(void **state)
{
	struct profile_data *now = with_module("/a/prog", "1234", 0x500);
	struct growth_sides s;
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(growth_sides_find(&s, LEAKS_BY_FUNCTION, now, now), 0);
	assert_int_equal(report_growth_json(&s, now, now, full), -ENOSPC);
	growth_sides_release(&s);
	fclose(full);
	profile_data_free(now);
}

static void sums_that_are_too_large_are_refused(void **state)
{
	struct profile_data *now = profile_data_new(), *base = profile_data_new();
	struct growth g;

	(void)state;
	pd_build_chain(now, "main", UINT64_MAX, 1, 0);
	assert_int_equal(growth_find(&g, LEAKS_BY_FUNCTION, now, base), -EOVERFLOW);
	growth_release(&g);
	struct growth_sides sides;
	assert_int_equal(growth_sides_find(&sides, LEAKS_BY_FUNCTION, base, now), -EOVERFLOW);
	growth_sides_release(&sides);
	profile_data_free(now);
	profile_data_free(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_differences_and_less_is_marked),
		cmocka_unit_test(lines_and_offsets_tell_paths_apart),
		cmocka_unit_test(what_is_a_thousandth_of_all_is_left_out_unless_all_is_asked_for),
		cmocka_unit_test(terse_leaves_out_what_has_hardly_changed_and_counts_it),
		cmocka_unit_test(what_is_the_same_is_left_out),
		cmocka_unit_test(recursion_counts_once_and_long_paths_are_cut),
		cmocka_unit_test(a_path_goes_as_far_as_own_code),
		cmocka_unit_test(what_the_runtime_keeps_is_no_functions),
		cmocka_unit_test(functions_are_matched_by_file_and_build),
		cmocka_unit_test(what_nothing_names_is_something_else_in_another_build),
		cmocka_unit_test(programs_of_other_names_are_matched),
		cmocka_unit_test(json_tells_what_of_a_path_the_runtime_keeps),
		cmocka_unit_test(json_has_both_sides_of_what_has_changed),
		cmocka_unit_test(json_has_of_a_place_what_tells_paths_apart),
		cmocka_unit_test(json_has_the_modules_of_either),
		cmocka_unit_test(a_growth_that_cannot_be_written_is_told),
		cmocka_unit_test(sums_that_are_too_large_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
