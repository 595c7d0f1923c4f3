/* SPDX-License-Identifier: BSD-2-Clause */
/* How much slower programs are for being observed: from numbers, without a clock. */
#include "unit/unit.h"
#include "base/slowdown.h"

#define S UINT64_C(1000000000)

static void slowdown_is_what_was_taken_to_what_was_the_programs_own(void **state)
{
	(void)state;
	/* Nothing ran, or nothing was taken. */
	assert_true(slowdown_of(&(struct cost_span){ 0 }) == 0);
	assert_true(slowdown_of(&(struct cost_span){ .stopped_ns = S }) == 0);
	assert_true(slowdown_of(&(struct cost_span){ .ran_ns = S }) == 1);
	assert_float_equal(slowdown_of(&(struct cost_span){ .ran_ns = S,
								      .stopped_ns = 2 * S }),
			   3, 1e-9);
	/* The kernel has a part of each stop, of the program's time and of ours. */
	double bare = slowdown_of(&(struct cost_span){ .ran_ns = S, .stops = 100000 });
	assert_true(bare > 1.2 && bare < 4);
	/* And a call that is no stop of its own. */
	double called = slowdown_of(&(struct cost_span){ .ran_ns = S,
								   .calls = 1000000 });
	assert_true(called > 1.02 && called < bare);
}

static void slowdown_has_an_end_where_nothing_is_the_programs_own(void **state)
{
	(void)state;
	assert_true(slowdown_of(&(struct cost_span){ .ran_ns = S,
							       .stops = 100000000 }) ==
		    SLOWDOWN_MAX);
	assert_true(slowdown_of(&(struct cost_span){ .ran_ns = 1, .stopped_ns = S }) ==
		    SLOWDOWN_MAX);
}

static void a_stretch_of_time_is_judged_by_what_was_done_in_it(void **state)
{
	const struct cost_span first = { 100, 20, 3, 4 }, second = { 300, 25, 9, 11 };
	const struct cost_span c = slowdown_between(&first, &second);

	(void)state;
	assert_int_equal(c.ran_ns, 200);
	assert_int_equal(c.stopped_ns, 5);
	assert_int_equal(c.stops, 6);
	assert_int_equal(c.calls, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowdown_is_what_was_taken_to_what_was_the_programs_own),
		cmocka_unit_test(slowdown_has_an_end_where_nothing_is_the_programs_own),
		cmocka_unit_test(a_stretch_of_time_is_judged_by_what_was_done_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
