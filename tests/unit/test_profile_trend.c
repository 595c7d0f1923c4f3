/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts: on traces of 18 kinds that are made from seeds, and on series written by hand. */
#include "unit/unit.h"
#include "unit/trend_traces.h"

#include <stdio.h>

enum { SEEDS = 400 };

static int by_time(const void *x, const void *y)
{
	const struct trace_event *a = x, *b = y;

	if (a->t != b->t)
		return a->t < b->t ? -1 : 1;
	/* A block cannot go before it has come. */
	return a->change > b->change ? -1 : a->change < b->change;
}

/* So that the last of several joinings leaves @windows of them, from 32 on. */
#define LENGTH_NS 64000000000.0
#define JOININGS  3

static uint64_t shortest_ns(size_t windows)
{
	return (uint64_t)(LENGTH_NS / (double)windows / (1 << JOININGS));
}

static uint64_t ns(double t)
{
	return (uint64_t)(t * LENGTH_NS);
}

/* The size of a block, known by its birth: the same for all, or any. */
static uint64_t size_of(double born, bool same)
{
	return same ? 48 : 16 + hash_mix(ns(born)) % 100;
}

static void play(struct windows *w, const struct trace *r, bool same_size, struct trend_series *s)
{
	uint32_t site = windows_site_of(w, 2);

	windows_pass(w, 0);
	for (size_t i = 0; i < r->n; i++) {
		const struct trace_event *e = &r->v[i];

		windows_pass(w, ns(e->t));
		if (e->change > 0)
			windows_birth(w, site, size_of(e->born, same_size));
		else
			windows_death(w, site, size_of(e->born, same_size));
	}
	windows_pass(w, ns(1));
	s->live = w->sites[site].live;
	s->live_bytes = w->sites[site].bytes;
}

/* How many more were born than have gone, of those of each window. */
static void count_survivors(const struct windows *w, const struct trace *r, struct trend_series *s)
{
	for (size_t i = 0; i < r->n; i++)
		s->survivors[windows_at(w, ns(r->v[i].born))] += (uint64_t)r->v[i].change;
}

static enum trend_name verdict_on(const struct trace_kind *kind, uint64_t seed)
{
	struct trace r = {.state = hash_mix(seed * 7919 + 5 + strlen(kind->name) * 131 +
					    (unsigned char)kind->name[0]) |
				   1};
	struct trend_series s = {0};
	struct windows w;
	struct pd_window *rows;
	size_t n;

	kind->make(&r);
	qsort(r.v, r.n, sizeof *r.v, by_time);
	windows_init(&w, shortest_ns(32 + seed % 32));
	play(&w, &r, seed % 2, &s);
	assert_int_equal(windows_list(&w, &rows, &n), 0);
	s.n = windows_over(&w);
	s.window_ns = w.length_ns;
	assert_in_range(s.n, 32, 63);
	trend_add_windows(&s, rows, n);
	count_survivors(&w, &r, &s);
	free(rows);
	windows_release(&w);
	free(r.v);
	return trend_judge(&s).name;
}

static void say_kind(const struct trace_kind *k, const unsigned counts[TREND_NAMES], unsigned right)
{
	printf("# %-16s %5.1f %% right:", k->name, 100.0 * right / SEEDS);
	for (int i = 0; i < TREND_NAMES; i++)
		if (counts[i])
			printf(" %s %u", trend_word(i), counts[i]);
	printf("\n");
}

/* The accuracy of the rule. The seeds are not those that its constants were found with. */
static void nearly_all_simulated_traces_are_judged_right(void **state)
{
	unsigned right = 0, all = 0, still = 0, false_growth = 0, growing = 0, missed = 0;

	(void)state;
	for (size_t k = 0; k < sizeof trace_kinds / sizeof *trace_kinds; k++) {
		unsigned counts[TREND_NAMES] = {0}, fine = 0;
		bool grows = trace_kinds[k].right == IS(TREND_GROWS);

		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			enum trend_name name = verdict_on(&trace_kinds[k], seed);

			counts[name]++;
			fine += trace_kinds[k].right >> name & 1;
		}
		say_kind(&trace_kinds[k], counts, fine);
		right += fine;
		all += SEEDS;
		*(grows ? &growing : &still) += SEEDS;
		*(grows ? &missed : &false_growth) +=
			grows ? SEEDS - counts[TREND_GROWS] : counts[TREND_GROWS];
	}
	printf("# right %.1f %%, growth said of what does not grow %.1f %%, growth missed %.1f "
	       "%%\n",
	       100.0 * right / all, 100.0 * false_growth / still, 100.0 * missed / growing);
	assert_true(right * 100 >= all * 97);
	assert_true(false_growth * 1000 <= still * 15);
	assert_true(missed * 100 <= growing * 6);
}

/* ---- a queue of constant length ---- */

static size_t queue_length; /* elements; the first goes when one more comes */
static double queue_stay;   /* so much of the time an element is in it */

static void constant_queue(struct trace *r)
{
	const double rate = (double)queue_length / queue_stay;
	double *came = calloc(queue_length, sizeof *came);
	size_t n = 0;

	assert(came);
	for (double t = 0; next(r, &t, rate); n++) {
		if (n >= queue_length)
			death(r, t, came[n % queue_length]);
		birth(r, t);
		came[n % queue_length] = t;
	}
	free(came);
}

/* Nearly all such queues have this verdict. */
static void assert_queue(size_t length, double stay, enum trend_name name)
{
	const struct trace_kind kind = {"constant queue", constant_queue, IS(name)};
	unsigned right = 0;

	queue_length = length;
	queue_stay = stay;
	for (uint64_t seed = 1; seed <= 50; seed++)
		right += verdict_on(&kind, seed) == name;
	if (right < 48)
		fail_msg("%zu elements that stay for %g of the time: %u of 50 are %s", length, stay,
			 right, trend_word(name));
}

/* As the manual says: in too short a time it looks like growth. */
static void a_queue_of_constant_length_is_a_cache_or_if_it_is_short_steady(void **state)
{
	(void)state;
	for (double stay = .01; stay < .5; stay += .12) {
		assert_queue(100, stay, TREND_CACHED);
		assert_queue(1000, stay, TREND_CACHED);
	}
	assert_queue(16, .01, TREND_STEADY);
	assert_queue(4, .01, TREND_STEADY);
	assert_queue(1, .01, TREND_STEADY);
	assert_queue(100, 1.5, TREND_GROWS);
	assert_queue(1000, 1.5, TREND_GROWS);
}

/* ---- by hand ---- */

/* 40 windows of a second, in which @floor(i) to @floor(i) + @above blocks of 10 bytes live. */
static struct trend_series series(uint64_t (*floor)(uint32_t i), uint64_t above, uint64_t births)
{
	struct trend_series s = {.n = 40, .window_ns = 1000000000};

	for (uint32_t i = 0; i < s.n; i++) {
		s.low[i] = floor(i);
		s.high[i] = s.low[i] + above;
		s.low_bytes[i] = 10 * s.low[i];
		s.high_bytes[i] = 10 * s.high[i];
		s.births[i] = births;
	}
	s.live = s.low[39];
	s.live_bytes = s.low_bytes[39];
	return s;
}

static uint64_t two_a_window(uint32_t i)
{
	return 100 + 2 * i;
}

static uint64_t from_window_20(uint32_t i)
{
	return i < 20 ? 100 : 100 + 5 * (i - 20);
}

static uint64_t a_thousand(uint32_t i)
{
	(void)i;
	return 1000;
}

static uint64_t none(uint32_t i)
{
	(void)i;
	return 0;
}

static uint64_t one(uint32_t i)
{
	(void)i;
	return 1;
}

static void a_steady_rise_grows_at_its_rate(void **state)
{
	struct trend_series s = series(two_a_window, 3, 100);

	(void)state;
	for (uint32_t i = 0; i < s.n; i++)
		s.survivors[i] = 2;
	struct trend_verdict v = trend_judge(&s);

	assert_int_equal(v.name, TREND_GROWS);
	assert_true(v.z > 2.58);
	assert_float_equal(v.blocks_hour, 7200, 1e-6);
	assert_float_equal(v.bytes_hour, 72000, 1e-6);
	assert_float_equal(v.stays, 0.02, 1e-9);
	assert_int_equal(v.since, 0);
	assert_false(v.by_bytes);
}

static void growth_that_began_later_says_since_when(void **state)
{
	struct trend_series s = series(from_window_20, 1, 100);
	struct trend_verdict v = trend_judge(&s);

	(void)state;
	assert_int_equal(v.name, TREND_GROWS);
	assert_in_range(v.since, 19, 22);
}

static void a_level_with_old_blocks_is_a_cache(void **state)
{
	struct trend_series s = series(a_thousand, 1, 100);
	struct trend_verdict v = trend_judge(&s);

	(void)state;
	assert_int_equal(v.name, TREND_CACHED);
	assert_int_equal(v.level, 1001);
}

static void nothing_between_two_bursts_is_brief(void **state)
{
	struct trend_series s = series(none, 50, 100);

	(void)state;
	assert_int_equal(trend_judge(&s).name, TREND_BRIEF);
}

/* A burst in the last windows, of which nothing has been freed. */
static void what_came_late_and_was_never_freed_is_neither_brief_nor_steady(void **state)
{
	struct trend_series s = series(none, 0, 0);

	(void)state;
	for (uint32_t i = s.n - 2; i < s.n; i++) {
		s.births[i] = s.survivors[i] = 10;
		s.high[i] = 10 * (i - s.n + 3);
		s.low[i] = s.high[i] - 10;
	}
	s.live = 20;
	assert_int_equal(trend_judge(&s).name, TREND_TOO_EARLY);
	/* all but one of them are there */
	s.live = 19;
	assert_int_equal(trend_judge(&s).name, TREND_BRIEF);
}

static void one_block_that_is_enlarged_grows_in_bytes(void **state)
{
	struct trend_series s = series(one, 0, 2);

	(void)state;
	for (uint32_t i = 0; i < s.n; i++)
		s.low_bytes[i] = s.high_bytes[i] = 1000 * (i + 1);
	s.live_bytes = 40000;
	struct trend_verdict v = trend_judge(&s);

	assert_int_equal(v.name, TREND_GROWS);
	assert_true(v.by_bytes);
	assert_float_equal(v.bytes_hour, 3600000, 1e-6);
}

/* One block in a window and a quarter, and none is freed: the shortest series with a verdict. */
static void what_is_never_freed_is_no_cache(void **state)
{
	(void)state;
	for (uint32_t n = 16; n <= 25; n++) {
		struct trend_series s = {.n = n, .window_ns = 1000000000};

		for (uint32_t i = 0; i < n; i++) {
			s.low[i] = i * 4 / 5;
			s.high[i] = (i + 1) * 4 / 5;
			s.births[i] = s.survivors[i] = s.high[i] - s.low[i];
			s.low_bytes[i] = 400 * s.low[i];
			s.high_bytes[i] = 400 * s.high[i];
		}
		s.live = s.high[n - 1];
		s.live_bytes = 400 * s.live;
		assert_int_equal(trend_judge(&s).name, TREND_GROWS);
	}
}

static void a_verdict_takes_sixteen_windows_and_eight_requests(void **state)
{
	struct trend_series s = series(two_a_window, 3, 100);

	(void)state;
	s.n = 15;
	assert_int_equal(trend_judge(&s).name, TREND_TOO_EARLY);
	s.n = 16;
	assert_int_not_equal(trend_judge(&s).name, TREND_TOO_EARLY);
	memset(s.births, 0, sizeof s.births);
	/* Some of them are gone. */
	s.live = 4;
	s.births[3] = 7;
	assert_int_equal(trend_judge(&s).name, TREND_TOO_EARLY);
	s.births[4] = 1;
	assert_int_not_equal(trend_judge(&s).name, TREND_TOO_EARLY);
}

/* A file may hold any numbers: what adds up to more than 64 bits is the most there is. */
static void windows_never_add_up_to_less(void **state)
{
	const struct pd_window large = {.low = UINT64_MAX - 1, .high = UINT64_MAX,
					.low_bytes = UINT64_MAX - 1, .high_bytes = UINT64_MAX};
	struct trend_series s = {.n = 1};

	(void)state;
	trend_add_windows(&s, &large, 1);
	trend_add_windows(&s, &large, 1);
	assert_true(s.low[0] == UINT64_MAX && s.high[0] == UINT64_MAX);
	assert_true(s.low_bytes[0] == UINT64_MAX && s.high_bytes[0] == UINT64_MAX);
}

/* As from a damaged file: nothing is read out of bounds, and the verdict has a name. */
static void any_series_has_a_verdict(void **state)
{
	struct trace r = {.state = 4711};

	(void)state;
	for (int turn = 0; turn < 3000; turn++) {
		struct trend_series s = {.n = (uint32_t)below(&r, WINDOWS_MAX + 2)};
		uint64_t *words = (uint64_t *)&s;

		for (size_t i = 1; i < sizeof s / sizeof *words; i++)
			words[i] = trace_word(&r) >> below(&r, 64);
		assert_in_range(trend_judge(&s).name, 0, TREND_NAMES - 1);
		assert_non_null(trend_word(trend_judge(&s).name));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearly_all_simulated_traces_are_judged_right),
		cmocka_unit_test(a_queue_of_constant_length_is_a_cache_or_if_it_is_short_steady),
		cmocka_unit_test(a_steady_rise_grows_at_its_rate),
		cmocka_unit_test(growth_that_began_later_says_since_when),
		cmocka_unit_test(a_level_with_old_blocks_is_a_cache),
		cmocka_unit_test(nothing_between_two_bursts_is_brief),
		cmocka_unit_test(what_came_late_and_was_never_freed_is_neither_brief_nor_steady),
		cmocka_unit_test(one_block_that_is_enlarged_grows_in_bytes),
		cmocka_unit_test(what_is_never_freed_is_no_cache),
		cmocka_unit_test(a_verdict_takes_sixteen_windows_and_eight_requests),
		cmocka_unit_test(windows_never_add_up_to_less),
		cmocka_unit_test(any_series_has_a_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
