/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_report_text.h"

#include "report/percent.h"

static void assert_brackets(uint64_t m, uint64_t n, const char *want)
{
	char got[PERCENT_BRACKETS];

	percent_brackets(got, m, n);
	assert_string_equal(got, want);
}

static void assert_decimal(uint64_t m, uint64_t n, const char *want)
{
	char got[PERCENT_DECIMAL];

	percent_decimal(got, m, n);
	assert_string_equal(got, want);
}

static void nothing_is_printed_for_nothing(void **state)
{
	(void)state;
	assert_brackets(0, 100, "");
	assert_brackets(0, 0, "");
}

static void less_than_one_percent_is_a_dot(void **state)
{
	(void)state;
	assert_brackets(1, 100000000, "(.)");
	assert_brackets(99, 10000, "(.)");
	assert_brackets(1, 101, "(.)");
	assert_brackets(1, 100, "(1)");
}

static void only_all_of_it_is_two_stars(void **state)
{
	(void)state;
	assert_brackets(999, 1000, "(99)");
	assert_brackets(UINT64_MAX - 1, UINT64_MAX, "(99)");
	assert_brackets(UINT64_MAX, UINT64_MAX, "(**)");
	assert_brackets(1, 1, "(**)");
}

static void percentages_are_never_rounded_up(void **state)
{
	(void)state;
	assert_brackets(1999, 100000, "(1)");
	assert_brackets(2000, 100000, "(2)");
	assert_brackets(79, 1000, "(7)");
	assert_brackets(4299, 10000, "(42)");
}

static void breakdown_has_two_columns_for_each_class(void **state)
{
	(void)state;
	const uint64_t m[N_SIZE_CLASSES] = { 1, 0, 200, 299 };
	const uint64_t all[N_SIZE_CLASSES] = { 0, 0, 0, 500 };
	const uint64_t none[N_SIZE_CLASSES] = { 0 };
	char got[PERCENT_BREAKDOWN];

	percent_breakdown(got, m, 500);
	assert_string_equal(got, "  .    40 59");
	percent_breakdown(got, all, 500);
	assert_string_equal(got, "          **");
	percent_breakdown(got, none, 0);
	assert_string_equal(got, "            ");
}

static void decimal_rounds_as_printf_does(void **state)
{
	(void)state;
	assert_decimal(0, 0, "0.0");
	assert_decimal(0, 7, "0.0");
	assert_decimal(7, 7, "100.0");
	assert_decimal(5019, 10000, "50.2");
	assert_decimal(1, 400, "0.2");		/* 0.25 is exact: to the even digit */
	assert_decimal(3, 400, "0.8");		/* so is 0.75 */
	assert_decimal(99996, 100000, "100.0");
	assert_decimal(99949, 100000, "99.9");
	assert_decimal(UINT64_MAX, UINT64_MAX, "100.0");
}

static unsigned class_of(uint64_t size)
{
	const struct profile_data plain = { .labelled = false };
	const struct pd_leaf leaf = { .size = size };

	return sums_class(&plain, &leaf);
}

static void classes_end_at_32_256_and_2048(void **state)
{
	(void)state;
	assert_int_equal(class_of(0), 0);
	assert_int_equal(class_of(32), 0);
	assert_int_equal(class_of(33), 1);
	assert_int_equal(class_of(256), 1);
	assert_int_equal(class_of(257), 2);
	assert_int_equal(class_of(2048), 2);
	assert_int_equal(class_of(2049), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_printed_for_nothing),
		cmocka_unit_test(less_than_one_percent_is_a_dot),
		cmocka_unit_test(only_all_of_it_is_two_stars),
		cmocka_unit_test(percentages_are_never_rounded_up),
		cmocka_unit_test(breakdown_has_two_columns_for_each_class),
		cmocka_unit_test(decimal_rounds_as_printf_does),
		cmocka_unit_test(classes_end_at_32_256_and_2048),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
