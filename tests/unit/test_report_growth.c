/* SPDX-License-Identifier: BSD-2-Clause */

#include "report/growth.h"

#include "unit/unit.h"
#include "unit/pd_build.h"

#include <errno.h>

static const char head[] = "MPROF: growth since the base; what is negative has become less\n";

/* The report without its heads, blanks squeezed. */
static char *report_of(const struct profile_data *now, const struct profile_data *base)
{
	static char text[16384];
	char *raw = NULL;
	size_t len, n = 0;
	FILE *out = open_memstream(&raw, &len);

	assert_non_null(out);
	assert_int_equal(report_growth(now, base, out), 0);
	assert_int_equal(fclose(out), 0);
	assert_true(!strncmp(raw, head, strlen(head)));
	for (const char *s = raw; *s; s++)
		if (*s != ' ' || (n && text[n - 1] != ' ' && text[n - 1] != '\n'))
			text[n++] = *s;
	text[n] = '\0';
	free(raw);
	return text;
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

static void what_is_the_same_is_left_out(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "main > f", 100, 9, 2);
	pd_build_finish(d);
	char *text = report_of(d, d);
	assert_null(strstr(text, "main"));
	assert_has(text, "\n<TOTAL> 0 0 0 0\n");
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
	assert_int_equal(growth_find(&g, now, base), 0);
	size_t n = g.n_functions;
	growth_release(&g);
	profile_data_free(now);
	profile_data_free(base);
	return n;
}

static size_t functions_of(const char *path, const char *id, uint64_t address)
{
	struct profile_data *now = with_module("/a/prog", "1234", 0x500), *base = with_module(path, id, address);
	struct growth g;

	assert_int_equal(growth_find(&g, now, base), 0);
	size_t n = g.n_functions;
	growth_release(&g);
	profile_data_free(now);
	profile_data_free(base);
	return n;
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

static void programs_of_other_names_are_matched(void **state)
{
	(void)state;
	/* a copy; at another address it is another static function */
	assert_int_equal(functions_of("/b/copy", "1234", 0x500), 3);
	assert_int_equal(functions_of("/b/copy", "1234", 0x700), 4);
	assert_int_equal(functions_of_program("/a/prog-2.0", "5678", true), 3);
	assert_int_equal(functions_of_program("/a/prog-2.0", "5678", false), 5);
}

static void sums_that_are_too_large_are_refused(void **state)
{
	struct profile_data *now = profile_data_new(), *base = profile_data_new();
	struct growth g;

	(void)state;
	pd_build_chain(now, "main", UINT64_MAX, 1, 0);
	assert_int_equal(growth_find(&g, now, base), -EOVERFLOW);
	growth_release(&g);
	profile_data_free(now);
	profile_data_free(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_differences_and_less_is_marked),
		cmocka_unit_test(what_is_the_same_is_left_out),
		cmocka_unit_test(recursion_counts_once_and_long_paths_are_cut),
		cmocka_unit_test(functions_are_matched_by_file_and_build),
		cmocka_unit_test(programs_of_other_names_are_matched),
		cmocka_unit_test(sums_that_are_too_large_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
