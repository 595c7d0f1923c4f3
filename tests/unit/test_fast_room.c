/* SPDX-License-Identifier: BSD-2-Clause */
/* Where there is room near a program's code. */
#include "unit/unit.h"

#include "fast/room.h"

#define K UINT64_C(1024)
#define M (K * K)
#define G (K * M)

static const struct room_wish wish = {
	.near_start = 0x7f0000100000, .near_end = 0x7f0000300000, .reach = G, .size = 16 * K,
};

static void the_nearest_hole_has_a_page_free_at_either_side(void **state)
{
	const struct room_range used[] = {
		{ .start = 0x7f0000000000, .end = 0x7f0000310000 },
		{ .start = 0x7f0000400000, .end = 0x7f0000500000 },
	};

	(void)state;
	assert_int_equal(room_find(used, 2, &wish), 0x7f0000311000);
}

static void below_is_as_good_as_above_if_it_is_nearer(void **state)
{
	const struct room_range used[] = {
		{ .start = 0x7f0000100000, .end = 0x7f0004000000 },
	};

	(void)state;
	assert_int_equal(room_find(used, 1, &wish), 0x7f0000100000 - 4 * K - 16 * K);
}

static void a_hole_that_is_too_small_is_passed_by(void **state)
{
	struct room_range used[] = {
		{ .start = 0x7f0000000000, .end = 0x7f0000310000 },
		{ .start = 0x7f0000310000 + 24 * K - 1, .end = 0x7f0000320000 },
		{ .start = 0x7f0000400000, .end = 0x7f0000500000 },
	};

	(void)state;
	assert_int_equal(room_find(used, 3, &wish), 0x7f0000321000);
	used[1].start++;
	assert_int_equal(room_find(used, 3, &wish), 0x7f0000311000);
}

static void what_is_out_of_reach_is_none(void **state)
{
	const struct room_range used[] = {
		{ .start = 0x7e0000000000, .end = 0x7f0000100000 + G - 19 * K },
	};
	struct room_wish w = wish;

	(void)state;
	assert_int_equal(room_find(used, 1, &w), 0);
	w.reach = 2 * G;
	assert_int_not_equal(room_find(used, 1, &w), 0);
}

static void the_reach_is_from_the_far_end_of_the_code_to_the_far_end_of_what_is_put_there(
	void **state)
{
	const struct room_range used[] = {
		{ .start = 0x7e0000000000, .end = 0x7f0000300000 },
	};
	struct room_wish w = wish;

	(void)state;
	w.reach = 0x200000 + 4 * K + 16 * K;
	assert_int_equal(room_find(used, 1, &w), 0x7f0000301000);
	w.reach--;
	assert_int_equal(room_find(used, 1, &w), 0);
}

static void the_break_may_grow(void **state)
{
	const struct room_wish low = { .near_start = 0x400000, .near_end = 0x500000, .reach = 2 * G,
				       .size = 16 * K };
	const struct room_range used[] = {
		{ .start = 0x10000, .end = 0x600000 },
		{ .start = 0x700000, .end = 0x800000, .heap = true },
	};

	(void)state;
	assert_int_equal(room_find(used, 2, &low), 0x601000); /* between the two */
	const struct room_range heap = { .start = 0x10000, .end = 0x800000, .heap = true };
	assert_int_equal(room_find(&heap, 1, &low), 0x800000 + G + 4 * K);
}

static void the_stack_may_grow(void **state)
{
	const struct room_range used[] = {
		{ .start = 0x7e0000000000, .end = 0x7f0000310000 },
		{ .start = 0x7f0000310000 + 64 * M + 24 * K, .end = 0x7fffffffe000, .stack = true },
	};
	struct room_wish w = wish;

	(void)state;
	assert_int_equal(room_find(used, 2, &w), 0x7f0000311000);
	w.stack_limit = 64 * M + 4 * K;
	assert_int_equal(room_find(used, 2, &w), 0);
}

static void nobody_is_put_at_the_bottom_or_behind_the_top(void **state)
{
	const struct room_wish low = { .near_start = 0x20000, .near_end = 0x30000, .reach = G,
				       .size = 16 * K };
	const struct room_range used[] = { { .start = 0x14000, .end = 0x20000000 } };
	const struct room_wish high = { .near_start = 0x7fffffff0000, .near_end = 0x7fffffffe000,
					.reach = G, .size = 16 * K };
	const struct room_range top[] = { { .start = 0x7fffffff0000, .end = 0x7fffffffe000 } };

	(void)state;
	assert_int_equal(room_find(used, 1, &low), 0x20001000);
	assert_int_equal(room_find(top, 1, &high), 0x7fffffff0000 - 20 * K);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_hole_has_a_page_free_at_either_side),
		cmocka_unit_test(below_is_as_good_as_above_if_it_is_nearer),
		cmocka_unit_test(a_hole_that_is_too_small_is_passed_by),
		cmocka_unit_test(what_is_out_of_reach_is_none),
		cmocka_unit_test(
		the_reach_is_from_the_far_end_of_the_code_to_the_far_end_of_what_is_put_there),
		cmocka_unit_test(the_break_may_grow),
		cmocka_unit_test(the_stack_may_grow),
		cmocka_unit_test(nobody_is_put_at_the_bottom_or_behind_the_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
