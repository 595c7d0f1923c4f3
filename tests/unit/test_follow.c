/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "attach/follow.h"

static bool starves(uint64_t waited, uint64_t ran)
{
	return follow_starves(&(struct follow_look){waited, ran});
}

static void test_waiting_while_the_task_runs_is_right(void **state)
{
	(void)state;
	assert_false(starves(0, 0));
	assert_false(starves(1000, 1000));
	assert_false(starves(0, 5000000));
	assert_false(starves(4000000, 4000000));
}

static void test_a_little_more_is_the_scheduler_itself(void **state)
{
	(void)state;
	assert_false(starves(1500, 1000));
	assert_true(starves(1501, 1000));
}

static void test_waiting_for_strangers(void **state)
{
	(void)state;
	assert_true(starves(1, 0));
	assert_true(starves(5000000, 300000));
	assert_true(starves(UINT64_MAX, UINT64_MAX / 2));
	assert_false(starves(UINT64_MAX, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waiting_while_the_task_runs_is_right),
		cmocka_unit_test(test_a_little_more_is_the_scheduler_itself),
		cmocka_unit_test(test_waiting_for_strangers),
	};

	return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
