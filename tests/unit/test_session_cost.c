/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of what observing costs: from numbers, without a clock. */
#include "unit/unit.h"
#include "session/cost.h"

#define S UINT64_C(1000000000)

static void the_share_is_of_the_time_that_has_passed(void **state)
{
	(void)state;
	assert_true(session_cost_share(&(struct session_cost){ 0 }) == 0);
	assert_true(session_cost_share(&(struct session_cost){ .elapsed_ns = 4 * S,
							       .worked_ns = S }) == 0.25);
	/* Two clocks, which need not agree to the nanosecond. */
	assert_true(session_cost_share(&(struct session_cost){ .elapsed_ns = S,
							       .worked_ns = S + 5 }) == 1);
}

static void it_is_heavy_when_traps_take_much_of_some_seconds(void **state)
{
	const struct session_cost heavy = { .elapsed_ns = 4 * S, .worked_ns = 3 * S,
					    .trapped = true };
	struct session_cost c = heavy;

	(void)state;
	assert_true(session_cost_is_heavy(&c));
	c.trapped = false;
	assert_false(session_cost_is_heavy(&c));
	c = heavy;
	c.worked_ns = S;
	assert_false(session_cost_is_heavy(&c));
	c = heavy;
	c.elapsed_ns = c.worked_ns = SESSION_COST_S * S - 1;
	assert_false(session_cost_is_heavy(&c));
}

static void the_fast_engine_is_reckoned_by_calls_in_the_time_that_was_left(void **state)
{
	const struct session_cost c = { .elapsed_ns = 4 * S, .worked_ns = 3 * S,
					.calls = 1000000 };

	(void)state;
	/* A second was the program's own, in which it made calls for 0.15 s. */
	assert_float_equal(session_cost_of_fast(&c), 0.15 / 1.15, 1e-9);
	assert_true(session_cost_of_fast(&(struct session_cost){ 0 }) == 0);
	assert_true(session_cost_of_fast(&(struct session_cost){ .elapsed_ns = S,
								 .worked_ns = S }) == 0);
}

static void slowdown_is_what_was_taken_to_what_was_the_programs_own(void **state)
{
	(void)state;
	/* Nothing ran, or nothing was taken. */
	assert_true(session_cost_slowdown(&(struct cost_span){ 0 }) == 0);
	assert_true(session_cost_slowdown(&(struct cost_span){ .stopped_ns = S }) == 0);
	assert_true(session_cost_slowdown(&(struct cost_span){ .ran_ns = S }) == 1);
	assert_float_equal(session_cost_slowdown(&(struct cost_span){ .ran_ns = S,
								      .stopped_ns = 2 * S }),
			   3, 1e-9);
	/* The kernel has a part of each stop, of the program's time and of ours. */
	double bare = session_cost_slowdown(&(struct cost_span){ .ran_ns = S, .stops = 100000 });
	assert_true(bare > 1.2 && bare < 4);
	/* And a call that is no stop of its own. */
	double called = session_cost_slowdown(&(struct cost_span){ .ran_ns = S,
								   .calls = 1000000 });
	assert_true(called > 1.02 && called < bare);
}

static void slowdown_has_an_end_where_nothing_is_the_programs_own(void **state)
{
	(void)state;
	assert_true(session_cost_slowdown(&(struct cost_span){ .ran_ns = S,
							       .stops = 100000000 }) ==
		    SLOWDOWN_MAX);
	assert_true(session_cost_slowdown(&(struct cost_span){ .ran_ns = 1, .stopped_ns = S }) ==
		    SLOWDOWN_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_share_is_of_the_time_that_has_passed),
		cmocka_unit_test(it_is_heavy_when_traps_take_much_of_some_seconds),
		cmocka_unit_test(the_fast_engine_is_reckoned_by_calls_in_the_time_that_was_left),
		cmocka_unit_test(slowdown_is_what_was_taken_to_what_was_the_programs_own),
		cmocka_unit_test(slowdown_has_an_end_where_nothing_is_the_programs_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
