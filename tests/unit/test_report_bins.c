/* SPDX-License-Identifier: BSD-2-Clause */
/* Table 1. */
#include "unit/test_report_text.h"

#include "report/bins.h"

static void rows_look_as_in_the_specification(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 40, 120, 20);
	pd_build_chain(d, "main", 204, 25, 0);
	pd_build_chain(d, "main > f", 2500, 2, 0);
	for (uint64_t size = 11; size <= 21; size += 2)
		pd_build_chain(d, "main > f", size, 1, 1);
	pd_build_type(d, 40, "cell", 0);
	pd_build_type(d, 40, "node", 0);
	pd_build_type(d, 40, "point3", 0);
	pd_build_type(d, 40, "vector", 0);
	pd_build_type(d, 41, "unused", 0);
	pd_build_type(d, 204, "widget", 0);
	pd_build_type(d, 4096, "page", 0);
	char *text = tables_of(d, REPORT_TERSE, REPORT_LEAKS);

	assert_has(text,
		   "--------- Allocation Bins with possible Types ------------\n"
		   "\n"
		   "      size:    allocs     bytes (%)      frees      kept (%)     types\n"
		   "\n"
		   "         40       120      4800 (32)        20      4000 (28)   "
		   "cell         node         point3\n"
		   "                                                                vector\n"
		   "        204        25      5100 (34)         0      5100 (36)   widget\n"
		   "     > 1024         2      5000 (33)         0      5000 (35)   page\n"
		   "\n"
		   " other bins         6        96 (.)          6         0\n"
		   "    <TOTAL>       153     14996             26     14100\n"
		   "\f\n"
		   "\n");
	free(text);
}

/* The text of a run with @few requests of @size out of @all, the others of 512 bytes. */
static char *bin_of(uint64_t size, uint64_t few, uint64_t all, bool typed, enum report_level level)
{
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", size, few, few);
	pd_build_chain(d, "main", 512, all - few, 0);
	if (typed)
		pd_build_type(d, size, "type", 0);
	return tables_of(d, level, REPORT_LEAKS);
}

static void assert_bin(bool printed, uint64_t size, uint64_t few, uint64_t all, bool typed,
		       enum report_level level)
{
	char *text = bin_of(size, few, all, typed, level);
	char start[32];

	snprintf(start, sizeof start, "\n%11d ", (int)size);
	if (printed) {
		assert_non_null(strstr(text, start));
		assert_has_not(text, "other bins");
	} else {
		assert_has_not(text, start);
		assert_has(text, " other bins ");
	}
	free(text);
}

static void normal_hides_small_bins_up_to_a_500th(void **state)
{
	(void)state;
	assert_bin(false, 100, 1, 500, true, REPORT_NORMAL);
	assert_bin(true, 100, 1, 499, false, REPORT_NORMAL);
	assert_bin(true, 101, 1, 1000000, false, REPORT_NORMAL);
	assert_bin(false, 0, 2, 1000, true, REPORT_NORMAL);
}

static void terse_hides_bins_up_to_a_50th_or_a_100th_with_a_type(void **state)
{
	(void)state;
	assert_bin(false, 300, 2, 100, false, REPORT_TERSE);
	assert_bin(true, 300, 2, 99, false, REPORT_TERSE);
	assert_bin(true, 300, 2, 100, true, REPORT_TERSE);
	assert_bin(false, 300, 1, 100, true, REPORT_TERSE);
	assert_bin(true, 300, 1, 99, true, REPORT_TERSE);
}

static void verbose_hides_nothing(void **state)
{
	(void)state;
	assert_bin(true, 0, 1, 1000000000, false, REPORT_VERBOSE);
	assert_bin(true, 1023, 1, 1000000000, false, REPORT_VERBOSE);
}

static void size_1024_has_a_bin_and_1025_has_none(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 1024, 1, 0);
	pd_build_chain(d, "main", 1025, 2, 1);
	pd_build_chain(d, "main", 5000000000, 1, 0);
	pd_build_type(d, 1024, "exact", 0);
	char *text = tables_of(d, REPORT_TERSE, REPORT_LEAKS);

	assert_has(text, "       1024         1      1024 (.)          0      1024 (.)    exact\n"
			 "     > 1024         3 5000002050 (99)         1 5000001025 (99)\n"
			 "\n"
			 "    <TOTAL>         4 5000003074              1 5000002049\n");
	free(text);
}

static void number_that_fills_its_column_pushes_the_line(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 8, 1234567890, 1000000000);
	pd_build_type(d, 8, "t", 0);
	char *text = tables_of(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_has(text, "          8 1234567890 9876543120 (**) 1000000000 1876543120 (**)   t\n");
	assert_has(text, "    <TOTAL> 1234567890 9876543120     1000000000 1876543120\n");
	free(text);
}

static void types_above_1024_are_listed_the_programs_own_first(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 1025, 1, 1);
	pd_build_type(d, 1024, "not_this", 0);
	pd_build_type(d, 1025, "zebra", 0);
	pd_build_type(d, 1025, "_IO_page", 1);
	pd_build_type(d, 2000, "ape", 0);
	pd_build_type(d, 2000, "lib_a", 1);
	pd_build_type(d, 3000, "ape", 0);
	char *text = tables_of(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_has(text,
		   "     > 1024         1      1025 (**)         1         0        "
		   "zebra        ape          ape\n"
		   "                                                                "
		   "_IO_page     lib_a\n");
	assert_has_not(text, "not_this");
	free(text);
}

static void types_of_a_bin_are_in_the_order_of_the_profile(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 8, 1, 1);
	pd_build_type(d, 8, "zebra", 0);
	pd_build_type(d, 8, "name_of_15_char", 1);
	pd_build_type(d, 8, "other", 1);
	pd_build_type(d, 8, "twelve_chars", 1);
	pd_build_type(d, 8, "x", 1);
	char *text = tables_of(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_has(text,
		   "          8         1         8 (**)         1         0        "
		   "zebra        name_of_15_char other\n"
		   "                                                                "
		   "twelve_chars x\n");
	free(text);
}

static void build_types(struct profile_data *d, uint64_t size, unsigned step, unsigned n)
{
	char name[16];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof name, "t%02u", i);
		pd_build_type(d, size + i * step, name, 0);
	}
}

/* Types of requested sizes are preferred, and the number of the others is printed. */
static void twelve_types_are_shown_unless_all_is_asked_for(void **state)
{
	static const char blanks[] =
		"                                                                ";
	char want[1024];

	(void)state;
	for (enum report_level l = REPORT_TERSE; l <= REPORT_VERBOSE; l++) {
		struct profile_data *d = profile_data_new();

		pd_build_chain(d, "main", 8, 1, 1);
		pd_build_chain(d, "main", 2015, 1, 1);
		pd_build_chain(d, "main", 2016, 1, 1);
		build_types(d, 8, 0, 14);
		build_types(d, 2000, 1, 17);
		char *text = tables_of(d, l, REPORT_LEAKS);

		snprintf(want, sizeof want,
			 "          8         1         8 (.)          1         0        "
			 "t00          t01          t02\n%st03          t04          t05\n"
			 "%st06          t07          t08\n%st09          t10          t11\n"
			 "%s%s\n", blanks, blanks,
			 blanks, blanks, l == REPORT_VERBOSE ? "t12          t13" : "and 2 more");
		assert_has(text, want);
		snprintf(want, sizeof want, "%st09          t15          t16\n%sand 5 "
					    "more\n", blanks, blanks);
		if (l == REPORT_VERBOSE)
			assert_has_not(text, "more");
		else
			assert_has(text, want);
		free(text);
	}
}

static void a_line_of_long_types_has_fewer_of_them(void **state)
{
	struct profile_data *d = profile_data_new();
	char name[128] = "", want[512];

	(void)state;
	memset(name, 'a', 100);
	pd_build_chain(d, "main", 8, 1, 1);
	pd_build_type(d, 8, name, 0);
	pd_build_type(d, 8, "b", 0);
	pd_build_type(d, 8, "c", 0);
	char *text = tables_of(d, REPORT_NORMAL, REPORT_LEAKS);

	snprintf(want, sizeof want, "          8         1         8 (**)         1         "
				    "0        %s\n"
		 "                                                                b            "
		 "c\n", name);
	assert_has(text, want);
	free(text);
}

static void terminal_escapes_in_types_are_octal(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 8, 1, 1);
	pd_build_type(d, 8, "\033[2J", 0);
	pd_build_type(d, 8, "\xc3\xb6", 0);
	pd_build_type(d, 8, "z", 0);
	char *text = tables_of(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_has(text, "          8         1         8 (**)         1         0        "
			 "\\033[2J      \xc3\xb6            z\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_look_as_in_the_specification),
		cmocka_unit_test(normal_hides_small_bins_up_to_a_500th),
		cmocka_unit_test(terse_hides_bins_up_to_a_50th_or_a_100th_with_a_type),
		cmocka_unit_test(verbose_hides_nothing),
		cmocka_unit_test(size_1024_has_a_bin_and_1025_has_none),
		cmocka_unit_test(number_that_fills_its_column_pushes_the_line),
		cmocka_unit_test(types_above_1024_are_listed_the_programs_own_first),
		cmocka_unit_test(types_of_a_bin_are_in_the_order_of_the_profile),
		cmocka_unit_test(twelve_types_are_shown_unless_all_is_asked_for),
		cmocka_unit_test(a_line_of_long_types_has_fewer_of_them),
		cmocka_unit_test(terminal_escapes_in_types_are_octal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
