/* SPDX-License-Identifier: BSD-2-Clause */
/* When snapshots are taken, and which are dropped. */
#include "unit/unit.h"
#include "lib/random.h"
#include "massif/snapshots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct massif_rules usual = { 100, 10, 1.0, false };

static struct massif_detail *no_detail(void)
{
	return calloc(1, sizeof(struct massif_detail));
}

static void take_at(struct massif_table *t, enum massif_attempt kind, uint64_t time,
		    uint64_t useful)
{
	massif_take(t, kind, &(struct massif_numbers){ .time = time, .useful = useful },
		    kind == MASSIF_PLAIN ? NULL : no_detail());
}

static enum massif_attempt ordinary(struct massif_table *t, uint64_t time, uint64_t useful)
{
	enum massif_attempt kind = massif_ordinary_attempt(t, time);

	if (kind != MASSIF_NOTHING)
		take_at(t, kind, time, useful);
	return kind;
}

static enum massif_attempt peak(struct massif_table *t, uint64_t time, uint64_t useful)
{
	enum massif_attempt kind = massif_peak_attempt(t, useful);

	if (kind != MASSIF_NOTHING)
		take_at(t, kind, time, useful);
	return kind;
}

/* "0 7p 9d": times; p: peak, d: detailed otherwise */
static void assert_table(const struct massif_table *t, const char *expected)
{
	char text[8192] = "";
	size_t len = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct massif_snapshot *s = &t->snapshots[i];

		assert_int_equal(s->peak && !s->detail, 0);
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%llu%s", i ? " " : "",
					(unsigned long long)s->at.time,
					s->peak ? "p" : s->detail ? "d" : "");
	}
	assert_string_equal(text, expected);
}

static void every_event_gives_a_snapshot_at_first_and_every_tenth_has_a_tree(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &usual);
	for (uint64_t i = 0; i < 21; i++)
		assert_int_equal(ordinary(&t, i, 1), i % 10 == 9 ? MASSIF_DETAILED : MASSIF_PLAIN);
	assert_table(&t, "0 1 2 3 4 5 6 7 8 9d 10 11 12 13 14 15 16 17 18 19d 20");
	massif_table_release(&t);
}

static void a_peak_counts_as_one_with_a_tree(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 100, 3, 1.0, false });
	ordinary(&t, 0, 0);
	ordinary(&t, 1, 5);
	assert_int_equal(peak(&t, 1, 5), MASSIF_PEAK);
	ordinary(&t, 2, 3);
	ordinary(&t, 3, 2);
	ordinary(&t, 4, 2);
	assert_table(&t, "0 1 1p 2 3 4d");
	massif_table_release(&t);
}

static void with_a_frequency_of_one_every_snapshot_has_a_tree(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 10, 1, 1.0, false });
	for (uint64_t i = 0; i < 4; i++)
		ordinary(&t, i, 1);
	assert_table(&t, "0d 1d 2d 3d");
	massif_table_release(&t);
}

static void a_frequency_of_none_gives_no_tree(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 10, 0, 1.0, false });
	for (uint64_t i = 0; i < 4; i++)
		ordinary(&t, i, 1);
	assert_table(&t, "0 1 2 3");
	massif_table_release(&t);
}

static void a_new_peak_must_exceed_the_recorded_one_by_the_inaccuracy(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &usual);
	assert_int_equal(massif_peak_attempt(&t, 0), MASSIF_NOTHING);
	assert_int_equal(peak(&t, 0, 1999), MASSIF_PEAK);
	assert_int_equal(massif_peak_attempt(&t, 1999), MASSIF_NOTHING);
	/* floor(19.99) */
	assert_int_equal(massif_peak_attempt(&t, 1999 + 19), MASSIF_NOTHING);
	assert_int_equal(massif_peak_attempt(&t, 1999 + 20), MASSIF_PEAK);
	massif_table_release(&t);
}

static void with_no_inaccuracy_every_maximum_is_a_peak(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 10, 10, 0, false });
	assert_int_equal(peak(&t, 1, 1000000), MASSIF_PEAK);
	assert_int_equal(peak(&t, 2, 1000000), MASSIF_NOTHING);
	assert_int_equal(peak(&t, 2, 1000001), MASSIF_PEAK);
	assert_table(&t, "1d 2p");
	massif_table_release(&t);
}

static void an_inaccuracy_beyond_all_numbers_means_no_second_peak(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 10, 10, 1e15, false });
	assert_int_equal(peak(&t, 1, UINT64_C(1) << 40), MASSIF_PEAK);
	assert_int_equal(massif_peak_attempt(&t, UINT64_MAX), MASSIF_NOTHING);
	massif_table_release(&t);
}

static void the_peak_before_keeps_its_tree_but_loses_the_mark(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &usual);
	peak(&t, 1, 100);
	peak(&t, 2, 200);
	assert_table(&t, "1d 2p");
	massif_table_release(&t);
}

/* Times 0...9 have all spans 2, so the earliest removable one is dropped first each time:
 * 1 (0 2 3 ...: 2 has span 3 now), then 3, 5, 7; then all spans are 4 but the last one's 3:
 * 8. */
static void a_full_table_is_halved_and_the_closest_go_first(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 10, 100, 1.0, false });
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(ordinary(&t, i, 1), MASSIF_PLAIN);
	assert_table(&t, "0 2 4 6 9");
	assert_int_equal(t.interval, 2);
	assert_int_equal(t.next_time, 11);
	assert_int_equal(ordinary(&t, 10, 1), MASSIF_NOTHING);
	assert_int_equal(ordinary(&t, 11, 1), MASSIF_PLAIN);
	massif_table_release(&t);
}

static void the_peak_survives_and_pairs_that_must_stay_do_not_set_the_interval(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 10, 100, 1.0, false });
	ordinary(&t, 0, 0);
	ordinary(&t, 10, 9);
	assert_int_equal(peak(&t, 10, 9), MASSIF_PEAK);
	for (uint64_t i = 0; i < 7; i++)
		ordinary(&t, 20 + 10 * i, 1);
	/* 10 (between 0 and the peak at 10) has span 10: the first to go. Then 20, 40, 60 and
	 * 70. */
	assert_table(&t, "0 10p 30 50 80");
	/* not the 10 between the first and the peak */
	assert_int_equal(t.interval, 20);
	massif_table_release(&t);
}

static void the_interval_before_the_last_one_counts(void **state)
{
	static const uint64_t times[] = { 0, 1, 2, 3, 4, 5, 6, 7, 100, 101 };
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 10, 100, 1.0, false });
	for (size_t i = 0; i < 10; i++)
		ordinary(&t, times[i], 1);
	assert_table(&t, "0 4 7 100 101");
	assert_int_equal(t.interval, 1);
	massif_table_release(&t);
}

static void a_peak_attempt_does_not_wait_for_the_next_time(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 10, 100, 1.0, false });
	for (uint64_t i = 0; i < 10; i++)
		ordinary(&t, i * 100, 1);
	assert_int_equal(ordinary(&t, 901, 7), MASSIF_NOTHING);
	assert_int_equal(peak(&t, 902, 7), MASSIF_PEAK);
	assert_int_equal(t.next_time, 902 + t.interval);
	massif_table_release(&t);
}

static void a_halving_takes_the_earliest_of_equals_at_the_same_moment_too(void **state)
{
	struct massif_table t;

	(void)state;
	massif_table_init(&t, &(struct massif_rules){ 10, 100, 1.0, false });
	for (uint64_t i = 0; i < 10; i++)
		ordinary(&t, 0, i); /* zero bytes, no slop, no time */
	assert_int_equal(t.n, 5);
	assert_int_equal(t.interval, 0);
	assert_int_equal(t.snapshots[0].at.useful, 0);
	assert_int_equal(t.snapshots[1].at.useful, 6);
	assert_int_equal(t.snapshots[4].at.useful, 9);
	massif_table_release(&t);
}

/* In any run long enough there are between N/2 and N - 1, the first is kept and times rise. */
static void the_number_stays_between_half_and_all(void **state)
{
	static const unsigned sizes[] = { 10, 11, 100, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct massif_table t;
		uint64_t time = 0, seed = 1, live = 0;

		massif_table_init(&t, &(struct massif_rules){ sizes[i], 10, 1.0, false });
		for (unsigned n = 0; n < 40000; n++) {
			uint64_t r = random_next(&seed);
			uint64_t size = 1 + (r >> 60);
			if (live > 500 && r >> 63) {
				peak(&t, time, live);
				live -= size;
			} else {
				live += size;
			}
			time += size;
			ordinary(&t, time, live);
			assert_true(t.n < sizes[i]);
		}
		assert_true(t.n >= sizes[i] / 2);
		unsigned peaks = 0;
		for (size_t s = 0; s < t.n; s++) {
			peaks += t.snapshots[s].peak;
			assert_true(!s || t.snapshots[s].at.time >= t.snapshots[s - 1].at.time);
		}
		assert_int_equal(peaks, 1);
		massif_table_release(&t);
	}
}

static void a_copy_has_trees_of_its_own(void **state)
{
	struct massif_table t, copy;

	(void)state;
	massif_table_init(&t, &usual);
	ordinary(&t, 0, 0);
	struct massif_detail *d = malloc(sizeof *d + sizeof *d->shares);
	assert_non_null(d);
	*d = (struct massif_detail){ .n_contexts = 4, .n = 1 };
	d->shares[0] = (struct massif_share){ 3, 50 };
	massif_take(&t, MASSIF_PEAK, &(struct massif_numbers){ .time = 1, .useful = 50 }, d);
	assert_int_equal(massif_table_copy(&copy, &t), 0);
	massif_table_release(&t);
	assert_table(&copy, "0 1p");
	assert_int_equal(copy.recorded_peak, 50);
	assert_int_equal(copy.snapshots[1].detail->n_contexts, 4);
	assert_int_equal(copy.snapshots[1].detail->shares[0].bytes, 50);
	massif_table_clear(&copy);
	assert_table(&copy, "");
	assert_int_equal(ordinary(&copy, 0, 0), MASSIF_PLAIN);
	massif_table_release(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_gives_a_snapshot_at_first_and_every_tenth_has_a_tree),
		cmocka_unit_test(a_peak_counts_as_one_with_a_tree),
		cmocka_unit_test(with_a_frequency_of_one_every_snapshot_has_a_tree),
		cmocka_unit_test(a_frequency_of_none_gives_no_tree),
		cmocka_unit_test(a_new_peak_must_exceed_the_recorded_one_by_the_inaccuracy),
		cmocka_unit_test(with_no_inaccuracy_every_maximum_is_a_peak),
		cmocka_unit_test(an_inaccuracy_beyond_all_numbers_means_no_second_peak),
		cmocka_unit_test(the_peak_before_keeps_its_tree_but_loses_the_mark),
		cmocka_unit_test(a_full_table_is_halved_and_the_closest_go_first),
		cmocka_unit_test(
			the_peak_survives_and_pairs_that_must_stay_do_not_set_the_interval),
		cmocka_unit_test(the_interval_before_the_last_one_counts),
		cmocka_unit_test(a_peak_attempt_does_not_wait_for_the_next_time),
		cmocka_unit_test(a_halving_takes_the_earliest_of_equals_at_the_same_moment_too),
		cmocka_unit_test(the_number_stays_between_half_and_all),
		cmocka_unit_test(a_copy_has_trees_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
