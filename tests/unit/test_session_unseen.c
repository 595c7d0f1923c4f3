/* SPDX-License-Identifier: BSD-2-Clause */
/* What was not observed of an image, and since when. */
#include "unit/unit.h"

#include "session/unseen.h"

static const struct image gone = {
	.counts = { .lost = 10, .lost_unreadable = 4, .lost_damaged = 3, .doubtful = 9,
		    .unwanted = 8, .taken = 3 },
	.size_filter = { .requests = 7, .frees = 6 },
};

static void of_an_image_that_is_over_its_last_counts_tell(void **state)
{
	struct pd_unseen u = unseen_so_far(&gone);

	(void)state;
	assert_int_equal(u.lost, 10);
	assert_int_equal(u.lost_unreadable, 4);
	assert_int_equal(u.lost_damaged, 3);
	assert_int_equal(u.doubtful, 9);
	assert_int_equal(u.other_requests, 15); /* those nobody waited for, and those sifted out */
	assert_int_equal(u.other_frees, 6);
	assert_int_equal(u.taken, 3);
	assert_int_equal(u.untrapped, 1);
}

static void what_a_restart_saved_is_not_told_again(void **state)
{
	struct image i = gone;

	(void)state;
	i.unseen_before = unseen_so_far(&i);
	i.counts.lost = 12;
	i.counts.trapped = true;
	i.size_filter.frees++;
	struct pd_unseen u = unseen_now(&i);

	assert_int_equal(u.lost, 2);
	assert_int_equal(u.lost_unreadable, 0);
	assert_int_equal(u.lost_damaged, 0);
	assert_int_equal(u.doubtful, 0);
	assert_int_equal(u.other_requests, 0);
	assert_int_equal(u.other_frees, 1);
	/* These are so now, whenever they came to be so. */
	assert_int_equal(u.taken, 3);
	assert_int_equal(u.untrapped, 0);
}

static void the_fast_engine_saw_the_calls_if_it_had_functions(void **state)
{
	struct image i = gone;

	(void)state;
	assert_int_equal(unseen_engines(&i), 0);
	i.counts.trapped = true;
	assert_int_equal(unseen_engines(&i), PD_ENGINE_TRAP);
	i.counts.engine.functions = 1;
	assert_int_equal(unseen_engines(&i), PD_ENGINE_FAST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fast_engine_saw_the_calls_if_it_had_functions),
		cmocka_unit_test(of_an_image_that_is_over_its_last_counts_tell),
		cmocka_unit_test(what_a_restart_saved_is_not_told_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
