/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "session/execs.h"

/* Which of these parts are kept, as "1" and "0". */
static const char *judged(struct exec_part *v, size_t n)
{
	static char text[17];

	execs_judge(v, n);
	for (size_t i = 0; i < n; i++)
		text[i] = v[i].kept ? '1' : '0';
	text[n] = '\0';
	return text;
}

#define JUDGED(...) judged((struct exec_part[]){ __VA_ARGS__ }, \
			   sizeof((struct exec_part[]){ __VA_ARGS__ }) / sizeof(struct exec_part))

static void the_last_is_kept_whatever_it_did(void **state)
{
	(void)state;
	assert_string_equal(JUDGED({ .bytes = 0 }), "1");
	assert_string_equal(JUDGED({ .bytes = 500 }), "1");
	assert_string_equal(JUDGED({ .bytes = 100 }, { .bytes = 0 }), "11");
	assert_string_equal(JUDGED({ .bytes = 0 }, { .bytes = 0 }, { .bytes = 0 }), "001");
}

static void of_the_others_those_are_kept_that_hold_more_than_a_tenth(void **state)
{
	(void)state;
	assert_string_equal(JUDGED({ .bytes = 10 }, { .bytes = 90 }), "01"); /* exactly that */
	assert_string_equal(JUDGED({ .bytes = 11 }, { .bytes = 90 }), "11");
	assert_string_equal(JUDGED({ .bytes = 1 }, { .bytes = 30 }, { .bytes = 2 },
				   { .bytes = 50 }), "0101");
	assert_string_equal(JUDGED({ .bytes = 1 }, { .bytes = 8 }), "11"); /* 1 of 9 */
	assert_string_equal(JUDGED({ .bytes = 1 }, { .bytes = 9 }), "01");
}

static void what_is_to_be_kept_is(void **state)
{
	(void)state;
	assert_string_equal(JUDGED({ .kept = true }, { .bytes = 1 }, { .bytes = 99 }), "101");
}

static void large_numbers_do_not_overflow(void **state)
{
	uint64_t much = UINT64_MAX / 4;

	(void)state;
	assert_string_equal(JUDGED({ .bytes = much / 5 }, { .bytes = much }), "11");
	assert_string_equal(JUDGED({ .bytes = much / 20 }, { .bytes = much }), "01");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_is_kept_whatever_it_did),
		cmocka_unit_test(of_the_others_those_are_kept_that_hold_more_than_a_tenth),
		cmocka_unit_test(what_is_to_be_kept_is),
		cmocka_unit_test(large_numbers_do_not_overflow),
	};

	return cmocka_run_group_tests_name("execs", tests, NULL, NULL);
}
