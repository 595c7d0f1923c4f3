/* SPDX-License-Identifier: BSD-2-Clause */
/* When a condition on a program's memory becomes true: from numbers, without a clock. */
#include "unit/unit.h"
#include "session/snapshot_when.h"

#define S UINT64_C(1000000000)

static uint64_t figure;

static bool rss(const struct snapshot_when *w, struct snapshot_judge *j, uint64_t bytes)
{
	return snapshot_due(w, j, &(struct snapshot_figures){ .rss = bytes, .live = 1 }, &figure);
}

static bool live(const struct snapshot_when *w, struct snapshot_judge *j, uint64_t now_ns,
		 uint64_t bytes)
{
	return snapshot_due(w, j, &(struct snapshot_figures){ .now_ns = now_ns, .rss = 1,
							      .live = bytes }, &figure);
}

static void a_condition_comes_true_once_for_each_crossing(void **state)
{
	const struct snapshot_when w = { .of = SNAPSHOT_RSS, .above = 1000 };
	struct snapshot_judge j = { 0 };

	(void)state;
	assert_false(rss(&w, &j, 999));
	assert_false(rss(&w, &j, 1000));
	assert_true(rss(&w, &j, 1001));
	assert_int_equal(figure, 1001);
	assert_false(rss(&w, &j, 5000));
	/* It hovers about the limit. */
	assert_false(rss(&w, &j, 1000));
	assert_false(rss(&w, &j, 1002));
	assert_false(rss(&w, &j, 901));
	assert_false(rss(&w, &j, 1002));
	/* It has fallen to nine tenths. */
	assert_false(rss(&w, &j, 900));
	assert_false(rss(&w, &j, 1000));
	assert_true(rss(&w, &j, 1001));
}

static void what_is_not_known_is_neither_above_nor_below(void **state)
{
	const struct snapshot_when w = { .of = SNAPSHOT_RSS, .above = 1000 };
	struct snapshot_judge j = { 0 };

	(void)state;
	assert_true(rss(&w, &j, 2000));
	assert_false(rss(&w, &j, 0)); /* it is ending */
	assert_false(rss(&w, &j, 2000));
}

static void a_limit_of_nothing_is_passed_by_anything_and_waits_for_nothing(void **state)
{
	const struct snapshot_when w = { .of = SNAPSHOT_LIVE, .above = 0 };
	struct snapshot_judge j = { 0 };

	(void)state;
	assert_false(live(&w, &j, 1, 0));
	assert_true(live(&w, &j, 2, 1));
	assert_false(live(&w, &j, 3, 7));
	assert_false(live(&w, &j, 4, 0));
	assert_true(live(&w, &j, 5, 1));
}

static void growth_is_of_a_whole_stretch(void **state)
{
	const struct snapshot_when w = { .of = SNAPSHOT_GROWTH, .above = 100, .per_ns = 10 * S };
	struct snapshot_judge j = { 0 };

	(void)state;
	/* What comes in the beginning is not judged, however much. */
	assert_false(live(&w, &j, 0, 0));
	for (unsigned s = 1; s < 10; s++)
		assert_false(live(&w, &j, s * S, 5000));
	/* It is as it was, and then grows by 100 in ten seconds, and by 101. */
	for (unsigned s = 11; s <= 21; s++)
		assert_false(live(&w, &j, s * S, 5000));
	for (unsigned s = 1; s <= 30; s++)
		assert_false(live(&w, &j, (21 + s) * S, 5000 + 10 * s));
	assert_true(live(&w, &j, 52 * S, 5311));
	assert_int_equal(figure, 101);
}

static void what_shrinks_or_swings_does_not_grow(void **state)
{
	const struct snapshot_when w = { .of = SNAPSHOT_GROWTH, .above = 100, .per_ns = 10 * S };
	struct snapshot_judge j = { 0 };

	(void)state;
	for (unsigned s = 0; s < 100; s++)
		assert_false(live(&w, &j, s * S, 10000 - 50 * s));
	for (unsigned s = 100; s < 200; s++) /* by 90, in each second */
		assert_false(live(&w, &j, s * S, 5000 + 90 * (s % 2)));
}

/* Frequent checks must not push out the value of a whole stretch ago, and rare ones must not miss
 * it. */
static void how_often_it_is_looked_at_does_not_matter(void **state)
{
	const uint64_t steps[] = { S / 4000, S / 4, 3 * S, 60 * S };

	(void)state;
	for (unsigned k = 0; k < sizeof steps / sizeof *steps; k++) {
		const struct snapshot_when w = { .of = SNAPSHOT_GROWTH, .above = 1000,
						 .per_ns = 20 * S };
		struct snapshot_judge j = { 0 };
		uint64_t now = 0;
		bool fired = false;

		/* 10 bytes a second: 200 in a stretch; it is looked at once in a step. */
		for (; now < 100 * S; now += steps[k])
			assert_false(live(&w, &j, now, now / (S / 10)));
		uint64_t then = now;
		/* 100 a second: 2000. */
		for (; !fired && now < then + 200 * S; now += steps[k])
			fired = live(&w, &j, now, then / (S / 10) + (now - then) / (S / 100));
		assert_true(fired);
		/* It takes half a stretch of that, less what it grew before. */
		assert_true(now - then < 10 * S + 2 * steps[k] + S);
	}
}

/* Its blocks have not gone, and afterwards it has fewer, by those that were not seen. */
static void what_a_pause_hides_is_neither_above_nor_below(void **state)
{
	const struct snapshot_when of_live = { .of = SNAPSHOT_LIVE, .above = 1000 };
	const struct snapshot_when of_growth = { .of = SNAPSHOT_GROWTH, .above = 100,
						 .per_ns = 10 * S };
	const struct snapshot_figures hidden = { .now_ns = 12 * S, .rss = 1, .unseen = true };
	struct snapshot_judge l = { 0 }, g = { 0 };

	(void)state;
	assert_true(live(&of_live, &l, 1 * S, 2000));
	assert_false(snapshot_due(&of_live, &l, &hidden, &figure));
	assert_false(live(&of_live, &l, 13 * S, 2000));
	assert_false(live(&of_growth, &g, 1 * S, 0));
	assert_false(live(&of_growth, &g, 6 * S, 0));
	assert_false(snapshot_due(&of_growth, &g, &hidden, &figure));
	assert_false(live(&of_growth, &g, 17 * S, 5000));
	assert_false(live(&of_growth, &g, 20 * S, 6000));
	assert_true(live(&of_growth, &g, 27 * S, 6000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_condition_comes_true_once_for_each_crossing),
		cmocka_unit_test(what_is_not_known_is_neither_above_nor_below),
		cmocka_unit_test(a_limit_of_nothing_is_passed_by_anything_and_waits_for_nothing),
		cmocka_unit_test(growth_is_of_a_whole_stretch),
		cmocka_unit_test(what_a_pause_hides_is_neither_above_nor_below),
		cmocka_unit_test(what_shrinks_or_swings_does_not_grow),
		cmocka_unit_test(how_often_it_is_looked_at_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
