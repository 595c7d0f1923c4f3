/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "base/search.h"

/* In arrays of all lengths, with equal elements, for every value: the same as a linear search. */
static void the_first_is_found_wherever_it_is(void **state)
{
	(void)state;
	for (size_t n = 0; n < 70; n++) {
		uint64_t v[70];

		for (size_t i = 0; i < n; i++)
			v[i] = i / 3 * 2;
		for (uint64_t want = 0; want < 50; want++) {
			size_t first = 0;

			while (first < n && v[first] < want)
				first++;
			assert_int_equal(SEARCH_FIRST(n, i, v[i] >= want), first);
		}
	}
}

static void the_number_is_evaluated_once_and_searches_may_be_nested(void **state)
{
	size_t calls = 0;

	(void)state;
	assert_int_equal(SEARCH_FIRST((calls++, 100), i, i >= 42), 42);
	assert_int_equal(calls, 1);
	/* The first i for which the first j with j * j >= 50 is not greater. */
	assert_int_equal(SEARCH_FIRST(100, i, SEARCH_FIRST(100, j, j * j >= 50) <= i), 8);
}

static void numbers_may_be_as_large_as_they_can_be(void **state)
{
	(void)state;
	assert_true(SEARCH_FIRST(SIZE_MAX, i, i >= SIZE_MAX - 1) == SIZE_MAX - 1);
	assert_true(SEARCH_FIRST(SIZE_MAX, i, i > SIZE_MAX - 1) == SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_found_wherever_it_is),
		cmocka_unit_test(the_number_is_evaluated_once_and_searches_may_be_nested),
		cmocka_unit_test(numbers_may_be_as_large_as_they_can_be),
	};

	return cmocka_run_group_tests_name("base/search", tests, NULL, NULL);
}
