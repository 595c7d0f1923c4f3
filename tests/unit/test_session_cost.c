/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of the cost of observing: from numbers, without a clock. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_share_is_of_the_time_that_has_passed),
		cmocka_unit_test(it_is_heavy_when_traps_take_much_of_some_seconds),
		cmocka_unit_test(the_fast_engine_is_reckoned_by_calls_in_the_time_that_was_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
