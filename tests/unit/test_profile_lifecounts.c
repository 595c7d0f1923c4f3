/* SPDX-License-Identifier: BSD-2-Clause */
/* Histograms of lifetimes, against a plain array of all buckets. */
#include "unit/unit.h"
#include "lib/random.h"
#include "profile/lifecounts.h"

#include <string.h>

enum { NODES = 300, STEPS = 200000 };

static uint64_t want[NODES][PD_LIFE_AXES][64];

/* Each bucket once, and with what is wanted of it. */
static void assert_counts(const struct lifecounts *c)
{
	static uint64_t left[NODES][PD_LIFE_AXES][64];
	struct lifecounts_cursor at = { 0 };
	struct pd_lifetime l;
	size_t n = 0, wanted = 0;

	memcpy(left, want, sizeof left);
	for (; lifecounts_next(c, &at, &l); n++) {
		assert_true(l.node < NODES && l.axis < PD_LIFE_AXES && l.bucket < 64);
		assert_true(l.blocks > 0);
		assert_int_equal(l.blocks, left[l.node][l.axis][l.bucket]);
		left[l.node][l.axis][l.bucket] = 0;
	}
	for (size_t i = 0; i < sizeof want / sizeof ***want; i++)
		wanted += ((const uint64_t *)want)[i] != 0;
	assert_int_equal(n, wanted);
	assert_false(lifecounts_next(c, &at, &l));
}

static void random_counts_agree_with_a_plain_array(void **state)
{
	struct lifecounts c = { 0 };
	uint64_t seed = 5;

	(void)state;
	memset(want, 0, sizeof want);
	assert_counts(&c);
	for (int i = 0; i < STEPS; i++) {
		uint64_t r = random_next(&seed);
		/* Some nodes never, some often. */
		uint32_t node = (uint32_t)(r % NODES & r >> 20);
		uint8_t events = (uint8_t)(r >> 30 & 63), ns = (uint8_t)(r >> 40 & 63 & r >> 50);

		assert_int_equal(lifecounts_add(&c, node, events, ns, r >> 63), 0);
		want[node][PD_LIFE_EVENTS][events]++;
		want[node][PD_LIFE_NS][ns]++;
		want[node][PD_LIFE_TEMPORARY][0] += r >> 63;
	}
	assert_counts(&c);
	lifecounts_release(&c);
}

static void buckets_that_were_counted_elsewhere_are_the_same(void **state)
{
	struct lifecounts c = { 0 };
	uint64_t seed = 9;

	(void)state;
	memset(want, 0, sizeof want);
	for (int i = 0; i < 1000; i++) {
		uint64_t r = random_next(&seed);
		struct pd_lifetime l = { .node = (uint32_t)(r % NODES), .axis = (r >> 20) % 3,
					 .blocks = r >> 50 };

		l.bucket = l.axis == PD_LIFE_TEMPORARY ? 0 : r >> 30 & 63;
		assert_int_equal(lifecounts_add_bucket(&c, &l), 0);
		want[l.node][l.axis][l.bucket] += l.blocks;
	}
	assert_counts(&c);
	lifecounts_release(&c);
}

static void at_the_end_nodes_get_other_numbers(void **state)
{
	const uint32_t to[] = { 9, 9, 4, 9, 9, 2 };
	struct lifecounts c = { 0 };

	(void)state;
	memset(want, 0, sizeof want);
	assert_int_equal(lifecounts_add(&c, 2, 63, 0, true), 0);
	assert_int_equal(lifecounts_add(&c, 5, 7, 8, false), 0);
	size_t before = lifecounts_memory(&c);
	lifecounts_finish(&c, to);
	assert_true(lifecounts_memory(&c) < before);
	want[4][PD_LIFE_EVENTS][63] = want[4][PD_LIFE_NS][0] = want[4][PD_LIFE_TEMPORARY][0] = 1;
	want[2][PD_LIFE_EVENTS][7] = want[2][PD_LIFE_NS][8] = 1;
	assert_counts(&c);
	lifecounts_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_counts_agree_with_a_plain_array),
		cmocka_unit_test(buckets_that_were_counted_elsewhere_are_the_same),
		cmocka_unit_test(at_the_end_nodes_get_other_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
