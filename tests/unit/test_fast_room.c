/* SPDX-License-Identifier: BSD-2-Clause */
/* Where there is free address space near a program's code, or far from everything. */
#include "unit/unit.h"

#include "fast/room.h"

#define K UINT64_C(1024)
#define M (K * K)
#define G (K * M)

static const struct room_wish wish = {
	.near_start = 0x7f0000100000, .near_end = 0x7f0000300000, .reach = G, .size = 16 * K,
};

static void it_is_below_as_far_away_as_is_wished(void **state)
{
	const struct room_range used[] = {
		{ .start = 0x7f0000000000, .end = 0x7f0000310000 },
		{ .start = 0x7f0000400000, .end = 0x7f0000500000 },
	};
	struct room_wish w = wish;

	(void)state;
	w.away = G / 2;
	assert_int_equal(room_find(used, 2, &w), 0x7f0000100000 - G / 2);
	/* Of the distances that are within reach the hole may have none that is wished. */
	w.away = 64 * K;
	assert_int_equal(room_find(used, 2, &w), 0x7f0000000000 - 20 * K);
}

static void nearest_to_the_distance_is_best(void **state)
{
	const struct room_range used[] = {
		{ .start = 0x7e0000000000, .end = 0x7f0000010000 },
		{ .start = 0x7f0000020000, .end = 0x7f0000080000 },
		{ .start = 0x7f0000090000, .end = 0x7f0000310000 },
	};
	struct room_wish w = wish;

	(void)state;
	assert_int_equal(room_find(used, 3, &w), 0x7f0000090000 - 20 * K);
	w.away = G / 2;
	assert_int_equal(room_find(used, 3, &w), 0x7f0000020000 - 20 * K);
}

static void above_is_for_those_who_have_no_room_below(void **state)
{
	const struct room_range used[] = {
		{ .start = 0x7e0000000000, .end = 0x7f0000310000 },
	};
	struct room_wish w = wish;

	(void)state;
	assert_int_equal(room_find(used, 1, &w), 0x7f0000311000);
	w.away = G / 2;
	assert_int_equal(room_find(used, 1, &w), 0x7f0000300000 + G / 2);
}

static void what_is_kept_free_for_the_stack_is_best(void **state)
{
	const struct room_range used[] = {
		{ .start = 0x7f0000000000, .end = 0x7f0000310000 },
		{ .start = 0x7f000c000000, .end = 0x7f000c021000, .stack = true },
	};
	struct room_wish w = wish;

	(void)state;
	w.away = G / 2;
	assert_int_equal(room_find(used, 2, &w), 0x7f0000311000);
	w.reach = 2 * M; /* it is not within reach, and what is below is not either */
	assert_int_equal(room_find(used, 2, &w), 0);
}

static void a_hole_that_is_too_small_is_passed_by(void **state)
{
	struct room_range used[] = {
		{ .start = 0x7e0000000000, .end = 0x7f0000310000 },
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

static void far_is_a_tebibyte_below_what_is_mapped_below_the_stack(void **state)
{
	const struct room_range used[] = {
		{ .start = 0x555555554000, .end = 0x555555560000 },
		{ .start = 0x7f0000000000, .end = 0x7f0000310000 },
		{ .start = 0x7fffffffd000, .end = 0x7fffffffe000, .stack = true },
	};

	(void)state;
	assert_int_equal(room_far(used, 3, 16 * K, 0), 0x7f0000000000 - 1024 * G - 16 * K);
	/* A static program has nothing there. */
	const struct room_range alone[] = { used[0], used[2] };
	assert_int_equal(room_far(alone, 2, 16 * K, 0),
			 (0x7fffffffd000 - 64 * M - 1024 * G) / (4 * K) * (4 * K) - 16 * K);
}

static void far_is_nowhere_where_all_is_reserved(void **state)
{
	const struct room_range used[] = { { .start = 0x10000000000, .end = 0x7ff000000000 } };
	const struct room_range hole[] = { { .start = 0x20000000000, .end = 0x7ff000000000 } };

	(void)state;
	assert_int_equal(room_far(used, 1, 16 * K, 0), 0);
	assert_int_equal(room_far(hole, 1, 16 * K, 0), 0);
	assert_int_not_equal(room_far(hole, 0, 16 * K, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_below_as_far_away_as_is_wished),
		cmocka_unit_test(nearest_to_the_distance_is_best),
		cmocka_unit_test(above_is_for_those_who_have_no_room_below),
		cmocka_unit_test(what_is_kept_free_for_the_stack_is_best),
		cmocka_unit_test(a_hole_that_is_too_small_is_passed_by),
		cmocka_unit_test(what_is_out_of_reach_is_none),
		cmocka_unit_test(
		the_reach_is_from_the_far_end_of_the_code_to_the_far_end_of_what_is_put_there),
		cmocka_unit_test(the_break_may_grow),
		cmocka_unit_test(the_stack_may_grow),
		cmocka_unit_test(nobody_is_put_at_the_bottom_or_behind_the_top),
		cmocka_unit_test(far_is_a_tebibyte_below_what_is_mapped_below_the_stack),
		cmocka_unit_test(far_is_nowhere_where_all_is_reserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
