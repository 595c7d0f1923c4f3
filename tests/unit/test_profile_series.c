/* SPDX-License-Identifier: BSD-2-Clause */
/* When points of a series are taken and which are dropped, with plain data; and the points of a
 * profile, against a plain count of random events. */
#include "unit/unit.h"
#include "lib/random.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* ---- the heaviest ---- */

static void the_heaviest_are_told_in_order(void **state)
{
	enum { SUMS = 1000 };
	uint64_t sums[SUMS];
	struct series_share shares[SERIES_SHARES];

	(void)state;
	for (uint64_t i = 0; i < SUMS; i++)
		sums[i] = i * 37 % SUMS / 2; /* each but 0 twice */
	assert_int_equal(series_heaviest(sums, SUMS, shares), SERIES_SHARES);
	for (uint64_t i = 0; i < SERIES_SHARES; i++) {
		assert_int_equal(shares[i].bytes, SUMS / 2 - 1 - i / 2);
		assert_int_equal(sums[shares[i].node], shares[i].bytes);
		if (i % 2)
			assert_true(shares[i].node > shares[i - 1].node);
	}
}

static void who_holds_nothing_is_not_told(void **state)
{
	const uint64_t sums[] = {0, 7, 0, 9, 0};
	struct series_share shares[SERIES_SHARES];

	(void)state;
	assert_int_equal(series_heaviest(sums, 0, shares), 0);
	assert_int_equal(series_heaviest(sums, 5, shares), 2);
	assert_int_equal(shares[0].node, 3);
	assert_int_equal(shares[1].node, 1);
}

/* ---- thinning ---- */

static void assert_thinned(const uint64_t *times, size_t n, size_t drop, const char *left)
{
	static const uint64_t flat[SERIES_POINTS];
	bool gone[SERIES_POINTS];
	char got[SERIES_POINTS + 1] = "";

	series_thin(times, flat, n, drop, gone);
	for (size_t i = 0; i < n; i++)
		got[i] = gone[i] ? '.' : 'x';
	assert_string_equal(got, left);
}

static void the_points_with_the_closest_neighbours_go_first(void **state)
{
	const uint64_t even[] = {0, 1, 2, 3, 4, 5, 6}, burst[] = {0, 100, 101, 102, 103, 200, 300};

	(void)state;
	assert_thinned(even, 7, 1, "x.xxxxx");
	assert_thinned(even, 7, 2, "x.x.xxx");
	assert_thinned(even, 7, 3, "x.x.x.x");
	assert_thinned(burst, 7, 2, "xx..xxx");
	assert_thinned(burst, 7, 5, "x.....x");
}

static void the_first_and_the_last_stay(void **state)
{
	const uint64_t times[] = {5, 5, 5};

	(void)state;
	assert_thinned(times, 3, 3, "x.x");
	assert_thinned(times, 2, 2, "xx");
	assert_thinned(times, 1, 1, "x");
	assert_thinned(times, 0, 1, "");
}

static void who_is_above_both_neighbours_stays(void **state)
{
	const uint64_t times[] = {0, 10, 11, 12, 20, 30, 31, 40}, live[] = {1, 1, 9, 1, 1, 5, 7, 1};
	bool gone[SERIES_POINTS];

	(void)state;
	series_thin(times, live, 8, 6, gone);
	assert_true(!gone[0] && !gone[2] && !gone[7]);
	series_thin(times, live, 8, 4, gone);
	assert_true(!gone[2] && !gone[6] && gone[5]);
}

/* Ten spikes among a thousand events, of which fewer are points. */
static void spikes_between_two_points_are_points(void **state)
{
	enum { SPIKES = 5, BETWEEN = 4000 };
	struct profile *p = profile_new();
	struct kept_series k;
	struct block_change c;
	uint64_t now = 1000;
	unsigned spikes = 0;

	(void)state;
	profile_stamp(p, now);
	profile_keep_series(p, 50);
	for (unsigned i = 0; i < SPIKES * BETWEEN; i++) {
		bool spike = i % BETWEEN == BETWEEN / 2 + 7;
		struct alloc_event e = {.ptr = 16, .size = spike ? 1000000 + i : 30000};

		e.time_ns = now += spike ? 3 : 1000;
		assert_int_equal(profile_event(p, &e, &c), 0);
		e.kind = AE_FREE;
		e.time_ns = now += spike ? 3 : 1000;
		assert_int_equal(profile_event(p, &e, &c), 0);
	}
	assert_int_equal(profile_list_series(p, &k), 0);
	assert_true(k.n <= 50);
	for (size_t i = 0; i < k.n; i++) {
		assert_true(!i || k.points[i].time_ns > k.points[i - 1].time_ns);
		spikes += k.points[i].live_bytes >= 1000000;
	}
	assert_int_equal(spikes, SPIKES);
	kept_series_release(&k);
	profile_free(p);
}

static void points_are_bounded_and_come_further_apart(void **state)
{
	struct series s;
	unsigned taken = 0;

	(void)state;
	series_init(&s, 20);
	for (uint64_t now = 1; now < 100000; now++) {
		struct series_point p = {.time_ns = now};

		if (now < s.due_ns)
			continue;
		assert_true(series_affords(&s, now, 1));
		assert_int_equal(series_add(&s, &p), 0);
		taken++;
		assert_true(s.n <= 18);
		assert_true(now < 18 || s.n >= 8);
	}
	assert_int_equal(s.points[0].time_ns, 1);
	/* Half of them each time that twice the time has passed. */
	assert_in_range(taken, 90, 150);
	/* No part of the time is without a point. */
	for (size_t i = 1; i < s.n; i++) {
		uint64_t gap = s.points[i].time_ns - s.points[i - 1].time_ns;

		assert_true(gap && gap < 100000 / 4);
	}
	assert_true(s.points[s.n - 1].time_ns > 100000 * 3 / 4);
	series_release(&s);
}

/* ---- what it may cost ---- */

static void points_of_a_large_profile_wait_for_their_hundredth_of_the_time(void **state)
{
	enum { NODES = 1000000 };
	const uint64_t cost = (uint64_t)NODES * SERIES_NODE_NS, second = 1000000000;
	struct series s;
	unsigned taken = 0;

	(void)state;
	series_init(&s, 200);
	for (uint64_t now = 50 * second; now < 110 * second; now += second / 1000) {
		struct series_point p = {.time_ns = now};

		if (now < s.due_ns || !series_affords(&s, now, NODES))
			continue;
		assert_int_equal(series_add(&s, &p), 0);
		s.spent_ns += cost;
		taken++;
		assert_true(s.spent_ns <= SERIES_FREE_NS + (now - s.begin_ns) / SERIES_PART);
	}
	/* It could have had as many, and one that costs nothing. */
	assert_in_range(taken, 59, 61);
	series_release(&s);
}

static void points_of_a_small_profile_do_not_wait(void **state)
{
	struct series s;

	(void)state;
	series_init(&s, 200);
	for (uint64_t now = 1000; now < 1190; now++) {
		struct series_point p = {.time_ns = now};

		assert_true(now >= s.due_ns && series_affords(&s, now, 100));
		assert_int_equal(series_add(&s, &p), 0);
		s.spent_ns += 100 * SERIES_NODE_NS;
	}
	assert_int_equal(s.n, 190);
	series_release(&s);
}

static void a_series_that_is_not_wanted_is_never_due(void **state)
{
	struct series s;

	(void)state;
	series_init(&s, 0);
	assert_int_equal(s.due_ns, UINT64_MAX);
	series_restart(&s);
	assert_int_equal(s.due_ns, UINT64_MAX);
}

/* ---- of a profile ---- */

enum { BLOCKS = 64, PLACES = 60 };

/* What each place holds after a number of requests and events. */
struct world {
	struct profile *profile;
	uint64_t size[BLOCKS], now;
	unsigned place[BLOCKS];
	uint64_t live, peak, peak_ns, allocs;
	/* By how much time has passed, which is different for each event. */
	uint64_t *held, *live_at, *allocs_at;
};

enum { EVENTS = 5000, TIMES = 2 * EVENTS };

static struct world *world_new(unsigned points)
{
	struct world *w = calloc(1, sizeof *w);

	assert_non_null(w);
	w->held = calloc((TIMES + 1) * PLACES, sizeof *w->held);
	w->live_at = calloc(TIMES + 1, sizeof *w->live_at);
	w->allocs_at = calloc(TIMES + 1, sizeof *w->allocs_at);
	assert_true(w->held && w->live_at && w->allocs_at);
	random_state = 7;
	w->profile = profile_new();
	w->now = 1000;
	/* Of which nothing will be counted. */
	profile_frame(w->profile, &(struct profile_place){.address = 0x3000, .module = PD_NONE});
	profile_stamp(w->profile, w->now);
	profile_keep_series(w->profile, points);
	return w;
}

static void world_free(struct world *w)
{
	profile_free(w->profile);
	free(w->held);
	free(w->live_at);
	free(w->allocs_at);
	free(w);
}

/* Two callers of each place. */
static void event(struct world *w, struct alloc_event e, unsigned place)
{
	struct block_change c;
	struct profile_place at = {.address = 0x1000 + place, .module = PD_NONE},
			     caller = {.address = 0x2000 + random_below(2), .module = PD_NONE};
	uint32_t frames[2] = {profile_frame(w->profile, &at), profile_frame(w->profile, &caller)};

	e.chain = (struct alloc_chain){.frames = frames, .n = 2};
	e.time_ns = w->now;
	assert_int_equal(profile_event(w->profile, &e, &c), 0);
}

static void recount(struct world *w)
{
	uint64_t *held = w->held + (w->now - 1000) * PLACES;

	w->live = 0;
	for (unsigned i = 0; i < BLOCKS; i++) {
		w->live += w->size[i];
		held[w->place[i]] += w->size[i];
	}
	w->live_at[w->now - 1000] = w->live;
	w->allocs_at[w->now - 1000] = w->allocs;
	if (w->live <= w->peak)
		return;
	w->peak = w->live;
	w->peak_ns = w->now - 1000;
}

static void something(struct world *w)
{
	unsigned b = random_below(BLOCKS), place = random_below(random_below(2) ? 5 : PLACES);
	uint64_t size = 16 * (1 + random_below(9)) * (place < 5 ? 20 : 1);

	w->now++;
	if (!w->size[b]) {
		event(w, (struct alloc_event){.kind = AE_ALLOC, .ptr = b + 1, .size = size}, place);
	} else if (random_below(3)) {
		event(w, (struct alloc_event){.kind = AE_FREE, .ptr = b + 1}, place);
		size = 0;
	} else {
		event(w, (struct alloc_event){.kind = AE_REALLOC_BEGIN, .old_ptr = b + 1}, place);
		recount(w);
		w->now++;
		event(w,
		      (struct alloc_event){.kind = AE_REALLOC_MOVED,
					   .old_ptr = b + 1,
					   .ptr = b + 1,
					   .size = size},
		      place);
	}
	w->allocs += size != 0;
	w->size[b] = size;
	w->place[b] = place;
	recount(w);
}

static uint64_t place_of(const struct world *w, uint32_t node)
{
	return w->profile->places[w->profile->nodes[node].frame].address - 0x1000;
}

/* What was said is what it was; there are fewer ends of chains than may be told. */
static void assert_point(const struct world *w, const struct kept_series *k, uint32_t point)
{
	const struct pd_series_point *at = &k->points[point];
	const uint64_t *held = w->held + at->time_ns * PLACES;
	uint64_t told[PLACES] = {0};
	unsigned n = 0;

	assert_int_equal(at->live_bytes, w->live_at[at->time_ns]);
	assert_int_equal(at->allocs, w->allocs_at[at->time_ns]);
	for (size_t i = 0; i < k->n_held; i++) {
		const struct pd_held *h = &k->held[i];

		if (h->point != point)
			continue;
		uint64_t place = place_of(w, h->site);

		assert_true(place < PLACES && h->bytes);
		told[place] += h->bytes;
		n++;
	}
	assert_true(n <= SERIES_SHARES);
	for (unsigned i = 0; i < PLACES; i++)
		assert_int_equal(told[i], held[i]);
}

static void assert_series(const struct world *w, size_t most)
{
	struct kept_series k;
	size_t peaks = 0;

	assert_int_equal(profile_list_series(w->profile, &k), 0);
	assert_true(k.n >= 2 && k.n <= most);
	for (uint32_t i = 0; i < k.n; i++) {
		assert_true(!i || k.points[i].time_ns > k.points[i - 1].time_ns);
		assert_point(w, &k, i);
		if (!k.points[i].peak)
			continue;
		peaks++;
		assert_int_equal(k.points[i].time_ns, w->peak_ns);
		assert_int_equal(k.points[i].live_bytes, w->peak);
	}
	assert_int_equal(peaks, 1);
	assert_int_equal(k.points[0].time_ns, 0);
	assert_int_equal(k.points[k.n - 1].time_ns, w->now - 1000);
	kept_series_release(&k);
}

static void each_point_is_what_the_blocks_of_a_place_were(void **state)
{
	static const unsigned bounds[] = {10, 50, 200};

	(void)state;
	for (size_t b = 0; b < 3; b++) {
		struct world *w = world_new(bounds[b]);

		for (unsigned i = 0; i < EVENTS; i++) {
			something(w);
			if (i % 100 == 0 || i < 30)
				assert_series(w, bounds[b]);
		}
		assert_int_equal(profile_finish(w->profile), 0);
		assert_series(w, bounds[b]);
		world_free(w);
	}
}

static void a_profile_begun_anew_has_a_new_series(void **state)
{
	struct world *w = world_new(50);
	struct kept_series k;

	(void)state;
	for (unsigned i = 0; i < EVENTS / 2; i++)
		something(w);
	profile_restart(w->profile);
	assert_int_equal(profile_list_series(w->profile, &k), 0);
	assert_int_equal(k.n + k.n_held, 0);
	kept_series_release(&k);
	w->now += 5;
	event(w, (struct alloc_event){.kind = AE_ALLOC, .ptr = 1, .size = 80}, 3);
	assert_int_equal(profile_list_series(w->profile, &k), 0);
	assert_int_equal(k.n, 1);
	assert_int_equal(k.n_held, 1);
	assert_int_equal(k.points[0].time_ns, 0);
	assert_int_equal(k.points[0].live_bytes, 80);
	assert_int_equal(k.points[0].peak, 1);
	kept_series_release(&k);
	world_free(w);
}

static void a_child_begins_with_nothing_and_as_many_points(void **state)
{
	struct world *w = world_new(10);
	struct kept_series k;

	(void)state;
	for (unsigned i = 0; i < EVENTS / 2; i++)
		something(w);
	struct profile *child = profile_fork(w->profile);

	profile_free(w->profile);
	w->profile = child;
	w->now += 50;
	profile_stamp(child, w->now);
	for (unsigned i = 0; i < BLOCKS; i++) {
		w->now++;
		event(w, (struct alloc_event){.kind = AE_FREE, .ptr = i + 1}, 0);
	}
	for (unsigned i = 0; i < 100; i++) {
		w->now++;
		event(w, (struct alloc_event){.kind = AE_ALLOC, .ptr = i + 1, .size = 10}, 3);
	}
	assert_int_equal(profile_list_series(child, &k), 0);
	assert_true(k.n >= 4 && k.n <= 10);
	assert_int_equal(k.points[0].time_ns, 0);
	for (size_t i = 0; i < k.n; i++) {
		uint64_t t = k.points[i].time_ns, blocks = t < BLOCKS ? 0 : t - BLOCKS;

		assert_int_equal(k.points[i].live_bytes, blocks * 10);
		assert_int_equal(k.points[i].live_blocks, blocks);
		assert_int_equal(k.points[i].allocs, blocks);
	}
	/* By each of the two callers a part. */
	for (size_t i = 0; i < k.n_held; i++)
		k.points[k.held[i].point].live_bytes -= k.held[i].bytes;
	for (size_t i = 0; i < k.n; i++)
		assert_int_equal(k.points[i].live_bytes, 0);
	kept_series_release(&k);
	world_free(w);
}

static void without_a_timeline_there_is_no_series(void **state)
{
	struct world *w = world_new(0);
	struct kept_series k;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		something(w);
	assert_int_equal(profile_list_series(w->profile, &k), 0);
	assert_int_equal(k.n, 0);
	kept_series_release(&k);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_heaviest_are_told_in_order),
		cmocka_unit_test(who_holds_nothing_is_not_told),
		cmocka_unit_test(the_points_with_the_closest_neighbours_go_first),
		cmocka_unit_test(the_first_and_the_last_stay),
		cmocka_unit_test(who_is_above_both_neighbours_stays),
		cmocka_unit_test(spikes_between_two_points_are_points),
		cmocka_unit_test(points_are_bounded_and_come_further_apart),
		cmocka_unit_test(points_of_a_large_profile_wait_for_their_hundredth_of_the_time),
		cmocka_unit_test(points_of_a_small_profile_do_not_wait),
		cmocka_unit_test(a_series_that_is_not_wanted_is_never_due),
		cmocka_unit_test(each_point_is_what_the_blocks_of_a_place_were),
		cmocka_unit_test(a_profile_begun_anew_has_a_new_series),
		cmocka_unit_test(a_child_begins_with_nothing_and_as_many_points),
		cmocka_unit_test(without_a_timeline_there_is_no_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
