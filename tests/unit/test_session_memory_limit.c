/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session stops keeping as memory gets short: without a profile. */
#include "unit/unit.h"
#include "session/memory_limit.h"

#define LIMIT (UINT64_C(16) << 20)
#define PART (LIMIT / 16)

static void without_a_limit_all_is_kept(void **state)
{
	(void)state;
	assert_int_equal(memory_limit_next(0, UINT64_MAX, MEMORY_ALL), MEMORY_ALL);
}

static void up_to_half_of_it_all_is_kept(void **state)
{
	(void)state;
	assert_int_equal(memory_limit_next(LIMIT, 0, MEMORY_ALL), MEMORY_ALL);
	assert_int_equal(memory_limit_next(LIMIT, 8 * PART, MEMORY_ALL), MEMORY_ALL);
	assert_int_equal(memory_limit_next(LIMIT, 8 * PART + 1, MEMORY_ALL), MEMORY_NO_LIFETIMES);
}

static void one_step_is_taken_at_a_time_however_much_it_is(void **state)
{
	(void)state;
	for (enum memory_step step = MEMORY_ALL; step < MEMORY_OVER; step++)
		assert_int_equal(memory_limit_next(LIMIT, UINT64_MAX, step), step + 1);
	assert_int_equal(memory_limit_next(LIMIT, UINT64_MAX, MEMORY_OVER), MEMORY_OVER);
}

static void no_step_is_taken_back(void **state)
{
	(void)state;
	for (enum memory_step step = MEMORY_ALL; step < MEMORY_STEPS; step++)
		assert_int_equal(memory_limit_next(LIMIT, 0, step), step);
}

static void lifetimes_go_first_then_the_timeline_then_chains_frame_by_frame(void **state)
{
	unsigned depth = 16;

	(void)state;
	struct pd_spared s = memory_limit_spares(MEMORY_ALL);
	assert_true(!s.lifetimes && !s.timeline && !s.depth);
	s = memory_limit_spares(MEMORY_NO_LIFETIMES);
	assert_true(s.lifetimes && !s.timeline && !s.depth);
	s = memory_limit_spares(MEMORY_NO_TIMELINE);
	assert_true(s.lifetimes && s.timeline && !s.depth);
	for (enum memory_step step = MEMORY_CUT_16; step <= MEMORY_CUT_1; step++, depth /= 2) {
		s = memory_limit_spares(step);
		assert_true(s.lifetimes && s.timeline);
		assert_int_equal(s.depth, depth);
	}
	assert_int_equal(memory_limit_spares(MEMORY_OVER).depth, 1);
}

static void the_shortest_chains_come_before_the_limit_does(void **state)
{
	enum memory_step step = MEMORY_ALL;

	(void)state;
	for (uint64_t used = 0; used <= LIMIT; used += PART / 4)
		for (enum memory_step was = MEMORY_STEPS; was != step;) {
			was = step;
			step = memory_limit_next(LIMIT, used, step);
		}
	assert_int_equal(step, MEMORY_CUT_1);
	assert_int_equal(memory_limit_next(LIMIT, LIMIT + 1, step), MEMORY_OVER);
}

static void what_is_not_kept_has_words(void **state)
{
	(void)state;
	assert_string_equal(memory_limit_words(MEMORY_ALL), "nothing");
	assert_string_equal(memory_limit_words(MEMORY_CUT_2),
			    "lifetimes, timeline, chains beyond 2 frames");
	for (enum memory_step step = MEMORY_ALL; step < MEMORY_STEPS; step++)
		assert_non_null(memory_limit_words(step));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_limit_all_is_kept),
		cmocka_unit_test(up_to_half_of_it_all_is_kept),
		cmocka_unit_test(one_step_is_taken_at_a_time_however_much_it_is),
		cmocka_unit_test(no_step_is_taken_back),
		cmocka_unit_test(lifetimes_go_first_then_the_timeline_then_chains_frame_by_frame),
		cmocka_unit_test(the_shortest_chains_come_before_the_limit_does),
		cmocka_unit_test(what_is_not_kept_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
