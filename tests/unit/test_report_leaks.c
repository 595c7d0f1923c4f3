/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables 2 and 3. */
#include "unit/test_report_text.h"

static char *leaks_of(struct profile_data *d, enum report_level level, enum report_leaks leaks)
{
	char *text = tables_of(d, level, leaks), *end = strstr(text, "---------  Direct");

	assert_non_null(end);
	*end = '\0';
	return text;
}

static void rows_look_as_in_the_specification(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > load > new_page", 5000, 1, 0);
	pd_build_chain(d, "main > parse > expr > term > factor > new_node", 40, 101, 100);
	pd_build_chain(d, "main > load", 7, 5, 5);
	char *text = leaks_of(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_has(text,
		   "--------- Partial Dynamic Call Paths for Memory Leaks ------------\n"
		   "\n"
		   "Total bytes not freed: 5040\n"
		   "\n"
		   "kept bytes (%)     allocs     bytes (%)      frees     bytes (%)     path\n"
		   "\n"
		   "      5000 (99)         1      5000 (55)         0         0        "
		   "|| > main > load > new_page\n"
		   "        40 (.)        101      4040 (44)       100      4000 (**)   "
		   "...> parse > expr > term > factor > new_node\n"
		   "\n"
		   "\f\n"
		   "\n");
	free(text);
}

/* Table 2 with paths of so many functions; the program's own are those of module 0. */
static char *leaks_of_depth(struct profile_data *d, uint32_t depth, const char *const *own_code)
{
	struct report_options o = { .level = REPORT_VERBOSE, .depth = depth, .own_code = own_code };

	return tables_text_by(d, &o);
}

static struct profile_data *deep_in_a_library(void)
{
	static const char *const paths[] = { "/opt/app/server", "/usr/lib/libdeep.so.1" };
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > serve > l1 > l2 > l3 > l4 > l5 > l6", 10, 3, 0);
	pd_build_chain(d, "main > other > l1 > l2 > l3 > l4 > l5 > l6", 10, 2, 0);
	pd_build_chain(d, "start > l0 > l1 > l2 > l3 > l4 > l5 > l6", 10, 1, 0);
	pd_build_chain(d, "main > a > b > c > d > e", 1, 1, 0);
	pd_build_finish(d);
	d->modules = calloc(2, sizeof *d->modules);
	assert_non_null(d->modules);
	for (; d->n_modules < 2; d->n_modules++)
		d->modules[d->n_modules] =
			(struct pd_module){ strdup(paths[d->n_modules]), strdup(""), strdup("") };
	d->program = 0;
	for (size_t i = 0; i < d->n_functions; i++) {
		const char *name = d->functions[i].name;

		d->functions[i].module = name[0] == 'l' || !strcmp(name, "start");
	}
	return d;
}

static void a_path_goes_as_far_as_own_code(void **state)
{
	struct profile_data *d = deep_in_a_library();
	char *text = leaks_of_depth(d, 0, NULL);

	(void)state;
	assert_has(text, "        30 (49)         3        30 (49)   "
			 "...> serve > l1 > l2 > l3 > l4 > l5 > l6\n"
			 "        20 (32)         2        20 (32)   "
			 "...> other > l1 > l2 > l3 > l4 > l5 > l6\n"
			 /* where there is none it is five */
			 "        10 (16)         1        10 (16)   ...> l2 > l3 > l4 > l5 > l6\n"
			 /* and where there is some among the five, too */
			 "         1 (1)          1         1 (1)    ...> a > b > c > d > e\n");
	free(text);
	profile_data_free(d);
}

static void a_path_has_as_many_functions_as_are_asked_for(void **state)
{
	struct profile_data *d = deep_in_a_library();
	char *five = leaks_of_depth(d, 5, NULL), *two = leaks_of_depth(d, 2, NULL);
	char *all = leaks_of_depth(d, UINT32_MAX, NULL), *six = leaks_of_depth(d, 6, NULL);

	(void)state;
	assert_has(five, "        60 (98)         6        60 (98)   "
			 "...> l2 > l3 > l4 > l5 > l6\n");
	assert_has(two, "        60 (98)         6        60 (98)   ...> l5 > l6\n");
	assert_has(six, "         1 (1)          1         1 (1)    "
			"|| > main > a > b > c > d > e\n");
	assert_has(all, "        30 (49)         3        30 (49)   "
			"|| > main > serve > l1 > l2 > l3 > l4 > l5 > l6\n");
	assert_has(all, "         1 (1)          1         1 (1)    "
			"|| > main > a > b > c > d > e\n");
	free(five);
	free(two);
	free(six);
	free(all);
	profile_data_free(d);
}

static void own_code_is_what_is_said_to_be(void **state)
{
	static const char *const own[] = { "nothing", "libdeep*", NULL };
	struct profile_data *d = deep_in_a_library();
	char *text = leaks_of_depth(d, 0, own);

	(void)state;
	assert_has(text, "        60 (98)         6        60 (98)   "
			 "...> l2 > l3 > l4 > l5 > l6\n");
	free(text);
	profile_data_free(d);
}

static void with_lines_table_3_has_a_row_for_each(void **state)
{
	struct report_options o = { .level = REPORT_VERBOSE, .lines = true };
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "main > f+1", 10, 3, 0);
	pd_build_chain(d, "main > f+2", 10, 4, 0);
	pd_build_chain(d, "main > f+3", 10, 2, 0);
	pd_build_chain(d, "main > g", 10, 1, 0);
	for (uint32_t i = 0, line = 7; i < d->n_sites; i++)
		if (d->functions[d->sites[i].function].name[0] == 'f') {
			d->sites[i].file = strdup("/src/f.c");
			d->sites[i].line = line;
			line += d->sites[i].offset == 2; /* two calls in line 7, one in 8 */
		}
	pd_build_finish(d);
	char *text = tables_text_by(d, &o);

	assert_has(text, "      70.0           70 | 70          |           70 | 70          |"
			 "            7   f (f.c:7)\n"
			 "      20.0           20 | 20          |           20 | 20          |"
			 "            2   f (f.c:8)\n"
			 "      10.0           10 | 10          |           10 | 10          |"
			 "            1   g\n");
	free(text);
	o.lines = false;
	text = tables_text_by(d, &o);
	assert_has(text, "      90.0           90 | 90          |           90 | 90          |"
			 "            9   f\n");
	free(text);
	profile_data_free(d);
}

static void free_of_an_empty_object_keeps_the_columns_for_frees(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 0, 2, 1);
	char *text = leaks_of(d, REPORT_VERBOSE, REPORT_LEAKS);

	assert_has(text, "kept bytes (%)     allocs     bytes (%)      frees     bytes (%)     "
			 "path\n"
			 "\n"
			 "         0              2         0              1         0        || > "
			 "main\n");
	free(text);
}

static void frees_elsewhere_do_not_show_the_columns_for_frees(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > a", 8, 1, 0);
	pd_build_chain(d, "main > b", 8, 1, 1);
	char *text = leaks_of(d, REPORT_VERBOSE, REPORT_LEAKS);

	assert_has(text, "kept bytes (%)     allocs     bytes (%)     path\n"
			 "\n"
			 "         8 (**)         1         8 (**)   || > main > a\n"
			 "\n"
			 "\f\n");
	free(text);
}

static void table_is_left_out_without_a_leak(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 8, 3, 3);
	char *text = leaks_of(d, REPORT_VERBOSE, REPORT_LEAKS);

	assert_has_not(text, "Partial");
	free(text);
}

/* A run that keeps @part of @all bytes on the path "main > x". */
static void assert_leak(bool printed, uint64_t part, uint64_t all, enum report_level level)
{
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > x", part, 1, 0);
	pd_build_chain(d, "main > y", all - part, 1, 0);
	char *text = leaks_of(d, level, REPORT_LEAKS);

	assert_int_equal(!!strstr(text, "> main > x\n"), printed);
	free(text);
}

static void exactly_the_threshold_is_not_enough(void **state)
{
	(void)state;
	assert_leak(false, 1000, 200000, REPORT_NORMAL);
	assert_leak(true, 1001, 200000, REPORT_NORMAL);
	assert_leak(false, 2000, 200000, REPORT_TERSE);
	assert_leak(true, 2001, 200000, REPORT_TERSE);
	assert_leak(true, 1, 200000, REPORT_VERBOSE);
	assert_leak(false, UINT64_MAX / 201, UINT64_MAX, REPORT_NORMAL);
	assert_leak(true, UINT64_MAX / 199, UINT64_MAX, REPORT_NORMAL);
}

static void heading_stays_when_no_row_remains(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();
	char chain[32];

	for (int i = 0; i < 200; i++) {
		snprintf(chain, sizeof chain, "main > f%d", i);
		pd_build_chain(d, chain, 1, 1, 0);
	}
	char *text = leaks_of(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_has(text, "Total bytes not freed: 200\n"
			 "\n"
			 "kept bytes (%)     allocs     bytes (%)     path\n"
			 "\n"
			 "\n"
			 "\f\n"
			 "\n");
	free(text);
}

static void paths_of_inner_five_are_added_up_over_all_callers(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > x > a > b > c > d > e", 8, 1, 0);
	pd_build_chain(d, "main > y > a > b > c > d > e", 8, 2, 1);
	pd_build_chain(d, "a > b > c > d > e", 8, 4, 0);	/* whole: another path */
	/* not whole: the same as the longer ones */
	pd_build_cut_chain(d, "a > b > c > d > e", 8, 8, 0);
	pd_build_cut_chain(d, "d > e", 4, 1, 0);
	pd_build_chain(d, "d > e", 2, 1, 0);
	char *text = leaks_of(d, REPORT_VERBOSE, REPORT_LEAKS);

	assert_has(text,
		   "        80 (67)        11        88 (69)         1         8 (**)   ...> a > b "
		   "> c > d > e\n"
		   "        32 (27)         4        32 (25)         0         0        || > a > b "
		   "> c > d > e\n"
		   "         4 (3)          1         4 (3)          0         0        ...> d > "
		   "e\n"
		   "         2 (1)          1         2 (1)          0         0        || > d > "
		   "e\n"
		   "\n");
	free(text);
}

static void ties_are_ordered_by_length_names_and_offsets(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+9 > b+9 > a+1", 8, 1, 0);
	pd_build_chain(d, "main+9 > b+10 > a+1", 8, 1, 0);
	pd_build_chain(d, "main+10 > b+1 > a+1", 8, 1, 0);
	pd_build_chain(d, "main+99 > B+99 > z+1", 8, 1, 0);
	pd_build_chain(d, "main+50 > z+1", 8, 1, 0);
	pd_build_cut_chain(d, "main+50 > z+1", 8, 1, 0);
	char *text = leaks_of(d, REPORT_VERBOSE, REPORT_LEAKS_OFFSETS);

	assert_has(text,
		   "         8 (16)         1         8 (16)   || > main+50 > z+1\n"
		   "         8 (16)         1         8 (16)   ...> main+50 > z+1\n"
		   "         8 (16)         1         8 (16)   || > main+99 > B+99 > z+1\n"
		   "         8 (16)         1         8 (16)   || > main+9 > b+9 > a+1\n"
		   "         8 (16)         1         8 (16)   || > main+9 > b+10 > a+1\n"
		   "         8 (16)         1         8 (16)   || > main+10 > b+1 > a+1\n"
		   "\n");
	free(text);
}

static void two_functions_of_one_name_are_two(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_function(d, "f#1");	/* the lower address */
	pd_build_chain(d, "main > f#2+30", 8, 1, 0);
	pd_build_chain(d, "main > f#1+40", 8, 1, 0);
	pd_build_chain(d, "main > f#1+50", 8, 1, 1);
	char *text = tables_of(d, REPORT_VERBOSE, REPORT_LEAKS);

	assert_has(text, "         8 (50)         2        16 (66)         1         8 (**)   || > "
			 "main > f\n"
			 "         8 (50)         1         8 (33)         0         0        || > "
			 "main > f\n"
			 "\n");
	assert_has(text, "      66.7           16 | 66          |            8 | 50          "
			 "|            2   f\n"
			 "      33.3            8 | 33          |            8 | 50          "
			 "|            1   f\n"
			 "\f\n");
	free(text);
}

static void module_decides_before_the_address(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > f#1+1", 8, 1, 0);
	pd_build_chain(d, "main > f#2+2", 8, 1, 0);
	d->functions[pd_build_function(d, "f#1")].module = 1;
	d->functions[pd_build_function(d, "f#2")].module = 0;
	char *text = leaks_of(d, REPORT_VERBOSE, REPORT_LEAKS_OFFSETS);

	assert_has(text, "         8 (50)         1         8 (50)   || > main+0 > f+2\n"
			 "         8 (50)         1         8 (50)   || > main+0 > f+1\n");
	free(text);
}

static void empty_chain_counts_for_a_question_mark(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_cut_chain(d, "", 24, 3, 1);
	pd_build_chain(d, "", 8, 1, 0);
	pd_build_chain(d, "main+3", 16, 1, 0);
	char *text = tables_of(d, REPORT_VERBOSE, REPORT_LEAKS_OFFSETS);

	assert_has(text, "    <TOTAL>         5        96              1        72\n");
	assert_has(text, "        48 (66)         3        72 (75)         1        24 (**)   ...> "
			 "?\n"
			 "        16 (22)         1        16 (16)         0         0        || > "
			 "main+3\n"
			 "         8 (11)         1         8 (8)          0         0        || > "
			 "?\n");
	assert_has(text, "      83.3           80 | 83          |           56 | 77          "
			 "|            4   ?\n");
	assert_has(text, "[0]     83.3       80 (**)  | **          | ----------- |       "
			 "0         ? [0]\n");
	free(text);
}

static void terminal_escapes_in_functions_are_octal(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+1 > \033]0;x\007+2", 8, 1, 0);
	char *text = tables_of(d, REPORT_VERBOSE, REPORT_LEAKS_OFFSETS);

	assert_has(text, "         8 (**)         1         8 (**)   || > main+1 > "
			 "\\033]0;x\\007+2\n");
	assert_has_not(text, "\033");
	assert_has_not(text, "\007");
	free(text);
}

static void wide_numbers_push_the_path(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 10000000000, 2, 1);
	char *text = tables_of(d, REPORT_VERBOSE, REPORT_LEAKS);

	assert_has(text, "10000000000 (**)         2 20000000000 (**)         1 10000000000 (**)   "
			 "|| > main\n");
	assert_has(text, "     100.0  20000000000 |          ** |  10000000000 |          ** "
			 "|            2   main\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_goes_as_far_as_own_code),
		cmocka_unit_test(a_path_has_as_many_functions_as_are_asked_for),
		cmocka_unit_test(own_code_is_what_is_said_to_be),
		cmocka_unit_test(with_lines_table_3_has_a_row_for_each),
		cmocka_unit_test(rows_look_as_in_the_specification),
		cmocka_unit_test(free_of_an_empty_object_keeps_the_columns_for_frees),
		cmocka_unit_test(frees_elsewhere_do_not_show_the_columns_for_frees),
		cmocka_unit_test(table_is_left_out_without_a_leak),
		cmocka_unit_test(exactly_the_threshold_is_not_enough),
		cmocka_unit_test(heading_stays_when_no_row_remains),
		cmocka_unit_test(paths_of_inner_five_are_added_up_over_all_callers),
		cmocka_unit_test(ties_are_ordered_by_length_names_and_offsets),
		cmocka_unit_test(two_functions_of_one_name_are_two),
		cmocka_unit_test(module_decides_before_the_address),
		cmocka_unit_test(empty_chain_counts_for_a_question_mark),
		cmocka_unit_test(terminal_escapes_in_functions_are_octal),
		cmocka_unit_test(wide_numbers_push_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
