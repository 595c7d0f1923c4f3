/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of event logs, calculated by hand, and against a slow but simple account. */
#include "unit/unit.h"
#include "lib/random.h"
#include "mma/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct mma_entry at(uint64_t t, enum mma_type type, uint64_t ptr, uint64_t old,
			   uint64_t size)
{
	return (struct mma_entry){ .time_ns = t,
				   .tid = 1,
				   .type = (uint8_t)type,
				   .ptr = ptr,
				   .old_ptr = old,
				   .size = size };
}

#define STAMP(t) at(t, MMA_TMSTMP, 0, 0, 0)
#define MALLOC(t, p, n) at(t, MMA_MALLOC, p, 0, n)
#define CALLOC(t, p, num, n) at(t, MMA_CALLOC, p, num, n)
#define REALLOC(t, q, p, n) at(t, MMA_REALLOC, q, p, n)
#define FREE(t, p) at(t, MMA_FREE, p, 0, 0)
#define LOG(...)                                                                                   \
	(struct mma_log)                                                                           \
	{                                                                                          \
		.v = (struct mma_entry[]){ __VA_ARGS__ },                                          \
		.n = sizeof((struct mma_entry[]){ __VA_ARGS__ }) / sizeof(struct mma_entry) \
	}

static struct mma_stats stats_of(const struct mma_log *logs, size_t n)
{
	struct mma_stats s = { 0 };

	assert_int_equal(mma_stats_of_logs(&s, logs, n), 0);
	return s;
}

static void wide_is(mma_wide n, const char *text)
{
	char room[MMA_WIDE_TEXT];

	assert_string_equal(mma_wide_text(n, room), text);
}

/* duration, load_max, load_current, load_total, load_avg */
static void five(const struct mma_stats *s, uint64_t duration, uint64_t max, uint64_t current,
		 const char *total, uint64_t avg)
{
	assert_int_equal(mma_stats_duration(s), duration);
	assert_true(s->load_max == max);
	assert_true(s->load == current);
	wide_is(s->load_total, total);
	assert_true(mma_stats_average(s) == avg);
}

static void the_log_of_the_specification(void **state)
{
	(void)state;
	struct mma_log l = LOG(STAMP(10000000000), MALLOC(10000001000, 0x12a0, 100),
			       CALLOC(10000003000, 0x1310, 10, 20),
			       REALLOC(10000010000, 0x13e0, 0x12a0, 700),
			       FREE(10000015000, 0x1310));
	struct mma_stats s = stats_of(&l, 1);

	/* 100 for 2000 ns, 300 for 7000, 900 for 5000 */
	five(&s, 15000, 900, 700, "6800000", 453);
	assert_int_equal(mma_stats_events(&s), 5);
	assert_int_equal(s.live_blocks, 1);
	assert_int_equal(s.unknown_free + s.failed + s.replaced, 0);
}

static void an_empty_log_is_all_noughts(void **state)
{
	(void)state;
	struct mma_log l = { 0 };
	struct mma_stats s = stats_of(&l, 1);

	five(&s, 0, 0, 0, "0", 0);
	assert_int_equal(mma_stats_events(&s), 0);
}

static void a_single_entry_has_no_duration_and_no_average(void **state)
{
	(void)state;
	struct mma_log l = LOG(MALLOC(77, 1, 5));
	struct mma_stats s = stats_of(&l, 1);

	five(&s, 0, 5, 5, "0", 0);
}

static void calls_that_failed_change_nothing(void **state)
{
	(void)state;
	struct mma_log l = LOG(MALLOC(0, 8, 10), MALLOC(1, 0, 99), CALLOC(2, 0, 5, 99),
			       REALLOC(3, 0, 8, 99), REALLOC(4, 0, 0, 99), STAMP(10));
	struct mma_stats s = stats_of(&l, 1);

	five(&s, 10, 10, 10, "100", 10);
	assert_int_equal(s.failed, 4);
	assert_int_equal(s.unknown_free, 0);
}

static void realloc_of_nothing_allocates_and_to_nothing_frees(void **state)
{
	(void)state;
	struct mma_log l = LOG(REALLOC(0, 8, 0, 10), REALLOC(10, 8, 8, 20), REALLOC(20, 0, 8, 0),
			       STAMP(30));
	struct mma_stats s = stats_of(&l, 1);

	five(&s, 30, 20, 0, "300", 10);
	assert_int_equal(s.failed, 0);
	assert_int_equal(s.replaced, 0);
	assert_int_equal(s.unknown_free, 0);
	assert_int_equal(s.live_blocks, 0);
}

static void realloc_to_no_bytes_may_give_a_block(void **state)
{
	(void)state;
	struct mma_log l = LOG(MALLOC(0, 8, 10), REALLOC(1, 16, 8, 0), STAMP(5));
	struct mma_stats s = stats_of(&l, 1);

	five(&s, 5, 10, 0, "10", 2);
	assert_int_equal(s.live_blocks, 1);
}

static void realloc_does_not_count_the_old_block_and_the_new_one_together(void **state)
{
	(void)state;
	struct mma_log l = LOG(MALLOC(0, 8, 1000), REALLOC(1, 16, 8, 1001), STAMP(2));
	struct mma_stats s = stats_of(&l, 1);

	assert_true(s.load_max == 1001);
}

static void frees_of_null_and_of_the_unknown_change_nothing(void **state)
{
	(void)state;
	struct mma_log l = LOG(MALLOC(0, 8, 10), FREE(1, 0), FREE(2, 16), FREE(3, 8), FREE(4, 8),
			       REALLOC(5, 24, 32, 7), STAMP(10));
	struct mma_stats s = stats_of(&l, 1);

	five(&s, 10, 10, 7, "65", 6);
	assert_int_equal(s.unknown_free, 3);
	assert_int_equal(s.events[MMA_FREE], 4);
}

static void an_address_given_twice_replaces_the_old_block(void **state)
{
	(void)state;
	struct mma_log l = LOG(MALLOC(0, 8, 10), MALLOC(10, 8, 20), CALLOC(20, 8, 3, 10),
			       MALLOC(25, 16, 1), REALLOC(30, 8, 16, 5), STAMP(40));
	struct mma_stats s = stats_of(&l, 1);

	/* 10, 20, 30, 31, 5 */
	five(&s, 40, 31, 5, "655", 16);
	assert_int_equal(s.replaced, 3);
	assert_int_equal(s.live_blocks, 1);
}

static void load_total_is_exact_beyond_64_bits(void **state)
{
	(void)state;
	struct mma_log l = LOG(MALLOC(0, 8, UINT64_MAX), STAMP(UINT64_MAX));
	struct mma_stats s = stats_of(&l, 1);

	wide_is(s.load_total, "340282366920938463426481119284349108225");
	wide_is(mma_stats_average(&s), "18446744073709551615");
	struct mma_log two = LOG(MALLOC(0, 8, UINT64_MAX), MALLOC(0, 16, 1), STAMP(UINT64_MAX / 2));
	s = stats_of(&two, 1);
	wide_is(s.load_max, "18446744073709551616");
	wide_is(s.load_total, "170141183460469231713240559642174554112");
}

static void a_load_over_time_beyond_128_bits_is_an_error(void **state)
{
	(void)state;
	struct mma_stats s = { 0 };
	struct mma_log l = LOG(MALLOC(0, 8, UINT64_MAX), MALLOC(0, 16, 3), STAMP(UINT64_MAX));

	assert_int_equal(mma_stats_of_logs(&s, &l, 1), -EOVERFLOW);
}

static void a_sum_in_decimal(void **state)
{
	(void)state;
	wide_is(0, "0");
	wide_is(9, "9");
	wide_is(10, "10");
	wide_is(~(mma_wide)0, "340282366920938463463374607431768211455");
}

/* ---- groups ---- */

static void logs_are_address_spaces_of_their_own_and_loads_are_added(void **state)
{
	(void)state;
	struct mma_log l[] = {
		LOG(STAMP(0), MALLOC(10, 8, 100), STAMP(60)),
		LOG(STAMP(5), MALLOC(20, 8, 7), FREE(30, 8), FREE(31, 8), STAMP(50)),
	};
	struct mma_stats s = stats_of(l, 2);

	five(&s, 60, 107, 100, "5070", 84);
	assert_int_equal(s.replaced, 0);
	assert_int_equal(s.unknown_free, 1);
}

static void blocks_leave_with_their_process_but_not_with_the_last(void **state)
{
	(void)state;
	struct mma_log l[] = {
		LOG(STAMP(0), MALLOC(0, 8, 100), STAMP(10)),
		LOG(STAMP(5), MALLOC(5, 8, 7), STAMP(20)),
	};
	struct mma_stats s = stats_of(l, 2);

	/* 100 for 5, 107 for 5, 7 for 10 */
	five(&s, 20, 107, 7, "1105", 55);
	assert_int_equal(s.live_blocks, 1);
	/* In whatever order they are named. */
	struct mma_log turned[] = { l[1], l[0] };
	s = stats_of(turned, 2);
	five(&s, 20, 107, 7, "1105", 55);
}

static void there_may_be_a_gap_between_one_process_and_the_next(void **state)
{
	(void)state;
	struct mma_log l[] = {
		LOG(STAMP(0), MALLOC(0, 8, 100), STAMP(10)),
		LOG(STAMP(50), MALLOC(60, 8, 7), STAMP(70)),
	};
	struct mma_stats s = stats_of(l, 2);

	five(&s, 70, 100, 7, "1070", 15);
}

static void equal_times_are_in_the_order_of_the_logs(void **state)
{
	(void)state;
	struct mma_log l[] = {
		LOG(MALLOC(0, 8, 100), STAMP(10)),
		LOG(MALLOC(0, 8, 7), STAMP(10)),
	};
	struct mma_stats s = stats_of(l, 2);

	assert_true(s.load == 7);
	struct mma_log turned[] = { l[1], l[0] };
	s = stats_of(turned, 2);
	assert_true(s.load == 100);
}

static void an_empty_log_in_a_group_is_nobody(void **state)
{
	(void)state;
	struct mma_log l[] = { { 0 }, LOG(MALLOC(3, 8, 100), STAMP(10)), { 0 } };
	struct mma_stats s = stats_of(l, 3);

	five(&s, 7, 100, 100, "700", 100);
}

/* ---- order ---- */

static void sorting_is_stable(void **state)
{
	(void)state;
	enum { N = 5000 };
	struct mma_entry *v = calloc(N, sizeof *v);
	uint64_t seed = 1;

	for (int kind = 0; kind < 4; kind++) {
		for (uint64_t i = 0; i < N; i++) {
			uint64_t r = random_next(&seed) >> 33;
			uint64_t t = kind == 0	 ? r % 50
				     : kind == 1 ? N - i
				     : kind == 2 ? i / 3 + r % 5
						 : i;
			v[i] = STAMP(t);
			v[i].ptr = i;
		}
		assert_int_equal(mma_sort(v, N), 0);
		for (size_t i = 1; i < N; i++)
			assert_true(v[i - 1].time_ns < v[i].time_ns ||
				    (v[i - 1].time_ns == v[i].time_ns && v[i - 1].ptr < v[i].ptr));
	}
	assert_int_equal(mma_sort(v, 0), 0);
	assert_int_equal(mma_sort(v, 1), 0);
	free(v);
}

/* ---- against a slow account ---- */

enum { SPACES = 3, ADDRESSES = 40, ENTRIES = 4000 };

static void random_logs_agree_with_an_account_of_every_address(void **state)
{
	(void)state;
	static struct mma_entry entries[SPACES][ENTRIES];
	uint64_t size[SPACES][ADDRESSES] = { 0 }, seed = 99, t = 1000, load = 0, max = 0, first = 0,
		last = 0;
	bool live[SPACES][ADDRESSES] = { 0 };
	struct mma_log logs[SPACES] = { 0 };
	mma_wide total = 0;
	uint64_t unknown = 0, replaced = 0;

	for (int i = 0; i < ENTRIES; i++) {
		uint64_t r = random_next(&seed);
		unsigned s = (unsigned)(r >> 33) % SPACES,
			 p = 1 + (unsigned)(r >> 35) % (ADDRESSES - 1);
		unsigned q = 1 + (unsigned)(r >> 41) % (ADDRESSES - 1),
			 n = (unsigned)(r >> 48) % 1000;
		unsigned what = (unsigned)(r >> 58) % 4;
		uint64_t now = t += (r >> 50) % 100 + 1;

		total += (mma_wide)load * (i ? now - last : 0);
		first = i ? first : now;
		last = now;
		struct mma_entry e = what == 0 ? FREE(now, p) : what == 1 ? MALLOC(now, p, n) :
				     what == 2 ? CALLOC(now, p, 3, n) : REALLOC(now, q, p, n);
		entries[s][logs[s].n++] = e;
		if (what == 0 || what == 3) {
			unknown += !live[s][p];
			load -= live[s][p] ? size[s][p] : 0;
			live[s][p] = false;
		}
		if (what) {
			unsigned to = what == 3 ? q : p;

			replaced += live[s][to];
			load -= live[s][to] ? size[s][to] : 0;
			size[s][to] = what == 2 ? 3 * n : n;
			load += size[s][to];
			live[s][to] = true;
		}
		max = load > max ? load : max;
	}
	/* Nobody ends before the last entry. */
	for (int s = 0; s < SPACES; s++) {
		logs[s].v = entries[s];
		assert_true(logs[s].n < ENTRIES - 1);
		entries[s][logs[s].n++] = STAMP(last);
	}
	uint64_t kept = 0;
	for (int p = 0; p < ADDRESSES; p++)
		kept += live[SPACES - 1][p] ? size[SPACES - 1][p] : 0;
	struct mma_stats got = stats_of(logs, SPACES);
	assert_true(got.load_total == total);
	assert_true(got.load_max == max);
	assert_true(got.load == kept);
	assert_int_equal(mma_stats_duration(&got), last - first);
	assert_int_equal(got.unknown_free, unknown);
	assert_int_equal(got.replaced, replaced);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_log_of_the_specification),
		cmocka_unit_test(an_empty_log_is_all_noughts),
		cmocka_unit_test(a_single_entry_has_no_duration_and_no_average),
		cmocka_unit_test(calls_that_failed_change_nothing),
		cmocka_unit_test(realloc_of_nothing_allocates_and_to_nothing_frees),
		cmocka_unit_test(realloc_to_no_bytes_may_give_a_block),
		cmocka_unit_test(realloc_does_not_count_the_old_block_and_the_new_one_together),
		cmocka_unit_test(frees_of_null_and_of_the_unknown_change_nothing),
		cmocka_unit_test(an_address_given_twice_replaces_the_old_block),
		cmocka_unit_test(load_total_is_exact_beyond_64_bits),
		cmocka_unit_test(a_load_over_time_beyond_128_bits_is_an_error),
		cmocka_unit_test(a_sum_in_decimal),
		cmocka_unit_test(logs_are_address_spaces_of_their_own_and_loads_are_added),
		cmocka_unit_test(blocks_leave_with_their_process_but_not_with_the_last),
		cmocka_unit_test(there_may_be_a_gap_between_one_process_and_the_next),
		cmocka_unit_test(equal_times_are_in_the_order_of_the_logs),
		cmocka_unit_test(an_empty_log_in_a_group_is_nobody),
		cmocka_unit_test(sorting_is_stable),
		cmocka_unit_test(random_logs_agree_with_an_account_of_every_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
