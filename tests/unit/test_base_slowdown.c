/* SPDX-License-Identifier: BSD-2-Clause */
/* By how much profiling slows programs down: from numbers, without a clock. */
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
	/* The kernel has a part of each stop: it counts as the program's time. */
	assert_float_equal(slowdown_of(&(struct cost_span){
				   .ran_ns = S, .stopped_ns = 3 * S / 2, .taken_ns = S / 2 }),
			   4, 1e-9);
	/* And a call that is no stop of its own has. */
	double called = slowdown_of(&(struct cost_span){ .ran_ns = S,
								   .calls = 1000000 });
	assert_true(called > 1.02 && called < 1.1);
}

/* Measured with programs that do nothing but allocate, and that allocate now and then. */
static void a_call_of_the_fast_engine_is_no_stop(void **state)
{
	(void)state;
	/* 200 calls in 14 us of processor time, of which 5.2 were its own: 2.7 times. */
	double often = slowdown_of(&(struct cost_span){ .ran_ns = 14050, .calls = 200 });
	assert_true(often > 2 && often < 3.5);
	/* 20 in 5.1 us, 4.8 of them its own. */
	double seldom = slowdown_of(&(struct cost_span){ .ran_ns = 5120, .calls = 20 });
	assert_true(seldom > 1.05 && seldom < 1.3);
}

static void what_calls_would_have_cost_is_told_of_a_program_with_stops(void **state)
{
	/* Half of what it ran were its stops. */
	const struct cost_span c = { .ran_ns = S, .stopped_ns = 9 * S, .taken_ns = S / 2 };
	double calls = slowdown_of_calls(&c, 1000000);

	(void)state;
	assert_true(slowdown_of(&c) > 18);
	assert_true(calls > 1.04 && calls < 1.2);
	assert_true(slowdown_of_calls(&c, 0) == 1);
	assert_true(slowdown_of_calls(&(struct cost_span){ 0 }, 10) == 0);
}

static void who_sleeps_is_not_slower_for_it(void **state)
{
	/* In a second: a tenth of it, or nine, in which stops kept it for as long as it worked. */
	const struct cost_span seldom = { .ran_ns = S / 10, .stopped_ns = S / 10 },
			       always = { .ran_ns = 9 * S / 10, .stopped_ns = 9 * S / 10 };

	(void)state;
	assert_float_equal(slowdown_of(&seldom), slowdown_of(&always), 1e-9);
}

static void slowdown_has_an_end_where_nothing_is_the_programs_own(void **state)
{
	(void)state;
	assert_true(slowdown_of(&(struct cost_span){ .ran_ns = S,
							       .stopped_ns = 2 * S,
							       .taken_ns = 2 * S }) == 41);
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
	assert_int_equal(c.taken_ns, 6);
	assert_int_equal(c.calls, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowdown_is_what_was_taken_to_what_was_the_programs_own),
		cmocka_unit_test(a_call_of_the_fast_engine_is_no_stop),
		cmocka_unit_test(what_calls_would_have_cost_is_told_of_a_program_with_stops),
		cmocka_unit_test(who_sleeps_is_not_slower_for_it),
		cmocka_unit_test(slowdown_has_an_end_where_nothing_is_the_programs_own),
		cmocka_unit_test(a_stretch_of_time_is_judged_by_what_was_done_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
