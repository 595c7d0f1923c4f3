/* SPDX-License-Identifier: BSD-2-Clause */
/* The timeline, and what was live at the peak, against a plain count of random events. */
#include "unit/unit.h"
#include "lib/random.h"
#include "massif/timeline.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 64, SITES = 8, SIZES = 4 };

struct world {
	struct massif_settings settings;
	struct profile *profile;
	struct timeline *timeline;
	struct recorder *list;
	/* The plain count: size and site of the block at each address; size 0: none. */
	uint64_t size[BLOCKS];
	unsigned site[BLOCKS];
	uint64_t live, peak, at_peak[SITES][SIZES + 1];
	uint64_t now;
};

static struct world *world_new(unsigned points)
{
	struct world *w = calloc(1, sizeof *w);

	assert_non_null(w);
	w->settings = (struct massif_settings){ .heap_admin = 8, .alignment = 16 };
	random_state = 42;
	w->profile = profile_new();
	w->timeline = timeline_new(&w->settings, points, w->profile);
	assert_non_null(w->timeline);
	w->list = (struct recorder *)w->timeline;
	return w;
}

static void world_free(struct world *w)
{
	recorders_free(w->list);
	profile_free(w->profile);
	free(w);
}

static void event(struct world *w, struct alloc_event e, unsigned site)
{
	struct block_change c;
	struct profile_place place = { .address = 0x1000 + site, .module = PD_NONE };
	uint32_t frame = profile_frame(w->profile, &place);

	e.chain = (struct alloc_chain){ .frames = &frame, .n = 1 };
	e.time_ns = UINT64_MAX / 2 + w->now;
	assert_int_equal(profile_event(w->profile, &e, &c), 0);
	recorders_event(w->list, &e, &c);
}

static void recount(struct world *w)
{
	uint64_t live = 0;

	for (unsigned i = 0; i < BLOCKS; i++)
		live += w->size[i];
	w->live = live;
	if (live <= w->peak)
		return;
	w->peak = live;
	memset(w->at_peak, 0, sizeof w->at_peak);
	for (unsigned i = 0; i < BLOCKS; i++)
		if (w->size[i])
			w->at_peak[w->site[i]][w->size[i] / 16]++;
}

static void something(struct world *w, unsigned live_blocks)
{
	unsigned b = random_below(live_blocks), site = random_below(SITES),
		 to = random_below(live_blocks);
	uint64_t size = 16 * (1 + random_below(SIZES));

	w->now += random_below(3);
	if (!w->size[b]) {
		event(w, (struct alloc_event){ .kind = AE_ALLOC, .ptr = b + 1, .size = size },
		      site);
		w->size[b] = size;
		w->site[b] = site;
	} else if (random_below(2)) {
		event(w, (struct alloc_event){ .kind = AE_FREE, .ptr = b + 1 }, site);
		w->size[b] = 0;
	} else if (!w->size[to] || to == b) {
		event(w, (struct alloc_event){ .kind = AE_REALLOC_BEGIN, .old_ptr = b + 1 }, site);
		w->size[b] = 0;
		event(w, (struct alloc_event){ .kind = AE_REALLOC_MOVED, .old_ptr = b + 1,
					       .ptr = to + 1,
					       .size = size }, site);
		w->size[to] = size;
		w->site[to] = site;
	} else {
		/* handed out again without a free */
		event(w, (struct alloc_event){ .kind = AE_ALLOC, .ptr = b + 1, .size = size },
		      site);
		w->size[b] = 0;
		w->size[b] = size;
		w->site[b] = site;
	}
	recount(w);
}

static void assert_at_peak(const struct world *w)
{
	uint64_t bytes = 0;

	assert_int_equal(w->profile->totals.peak_bytes, w->peak);
	for (size_t i = 0; i < w->profile->n_leaves; i++) {
		const struct call_leaf *l = &w->profile->leaves[i];
		uint32_t frame = w->profile->nodes[l->node].frame;
		uint64_t site = w->profile->places[frame].address - 0x1000;

		assert_int_equal(profile_leaf_at_peak(w->profile, l),
				 w->at_peak[site][l->size / 16]);
		bytes += profile_leaf_at_peak(w->profile, l) * l->size;
	}
	assert_int_equal(bytes, w->peak);
}

static void what_was_live_at_the_peak_is_known_after_every_event(void **state)
{
	struct world *w = world_new(100);

	(void)state;
	for (unsigned n = 0; n < 20000; n++) {
		something(w, n < 1000 ? 8 : n < 10000 ? 32 : BLOCKS);
		assert_at_peak(w);
	}
	world_free(w);
}

static void a_restarted_profile_has_a_new_peak(void **state)
{
	struct world *w = world_new(100);

	(void)state;
	for (unsigned n = 0; n < 1000; n++)
		something(w, BLOCKS);
	profile_restart(w->profile);
	recorders_mark(w->list, RECORD_RESTARTED, 0, 0);
	memset(w->size, 0, sizeof w->size);
	memset(w->at_peak, 0, sizeof w->at_peak);
	w->peak = w->live = 0;
	assert_at_peak(w);
	for (unsigned n = 0; n < 1000; n++) {
		something(w, 16);
		assert_at_peak(w);
	}
	world_free(w);
}

static void the_points_are_bounded_in_order_and_have_the_peak(void **state)
{
	static const unsigned bounds[] = { 10, 100, 1000 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct world *w = world_new(bounds[i]);
		struct pd_point *p;
		size_t n, peaks = 0;

		for (unsigned k = 0; k < 30000; k++)
			something(w, BLOCKS);
		assert_int_equal(timeline_points(w->timeline, &p, &n), 0);
		assert_true(n <= bounds[i] && n >= bounds[i] / 2);
		for (size_t k = 0; k < n; k++) {
			assert_true(!k || p[k].time_ns >= p[k - 1].time_ns);
			assert_true(p[k].live_bytes <= w->peak);
			assert_int_equal(p[k].extra_bytes, p[k].live_blocks * 8);
			peaks += p[k].peak;
			if (p[k].peak)
				assert_int_equal(p[k].live_bytes, w->peak);
		}
		assert_int_equal(peaks, 1);
		assert_int_equal(p[0].time_ns, 0);
		free(p);
		world_free(w);
	}
}

static void nothing_happened_no_peak(void **state)
{
	struct world *w = world_new(10);
	struct pd_point *p;
	size_t n;

	(void)state;
	assert_int_equal(timeline_points(w->timeline, &p, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(p[0].peak, 0);
	free(p);
	world_free(w);
}

static void what_a_parent_left_is_not_in_the_childs(void **state)
{
	struct world *w = world_new(100);
	struct recorder *list = NULL;

	(void)state;
	event(w, (struct alloc_event){ .kind = AE_ALLOC, .ptr = 1, .size = 160 }, 1);
	struct profile *child = profile_fork(w->profile);
	recorders_add(&list, w->list->ops->fork(w->list, child, 1), NULL);
	recorders_free(w->list);
	profile_free(w->profile);
	w->list = list;
	w->timeline = (struct timeline *)list;
	w->profile = child;
	event(w, (struct alloc_event){ .kind = AE_FREE, .ptr = 1 }, 1);
	event(w, (struct alloc_event){ .kind = AE_ALLOC, .ptr = 2, .size = 32 }, 1);
	struct pd_point *p;
	size_t n;
	assert_int_equal(timeline_points(w->timeline, &p, &n), 0);
	assert_int_equal(p[n - 1].live_bytes, 32);
	assert_int_equal(p[n - 1].live_blocks, 1);
	assert_int_equal(p[n - 1].peak, 1);
	free(p);
	world_free(w);
}

/* As from an engine whose clock is too coarse for its events. */
static void events_of_the_same_time_are_one_point(void **state)
{
	struct world *w = world_new(10);
	struct pd_point *p;
	size_t n;

	(void)state;
	for (unsigned i = 1; i <= 2000; i++) {
		w->now = i / 2 * 10;
		event(w, (struct alloc_event){ .kind = AE_ALLOC, .ptr = i, .size = 16 }, 0);
		assert_int_equal(timeline_points(w->timeline, &p, &n), 0);
		for (size_t k = 1; k < n; k++)
			assert_true(p[k].time_ns > p[k - 1].time_ns || p[k].peak);
		free(p);
	}
	world_free(w);
}

/* Between two neighbouring points there were never more live bytes than at both. */
static void no_spike_is_lost_between_two_points(void **state)
{
	enum { EVENTS = 20000 };
	struct world *w = world_new(50);
	uint64_t *live_at = calloc(4 * EVENTS, sizeof *live_at), peak_at = 0, start = 0;
	struct pd_point *p;
	size_t n;

	(void)state;
	for (unsigned i = 0; i < EVENTS; i++) {
		uint64_t size = random_below(500) ? 16 * (1 + random_below(SIZES))
						  : 100000 + random_below(900000);

		w->now += 1 + random_below(2);
		event(w, (struct alloc_event){ .kind = AE_ALLOC, .ptr = 1, .size = size }, 0);
		live_at[w->now] = size;
		if (size > live_at[peak_at])
			peak_at = w->now;
		w->now++;
		event(w, (struct alloc_event){ .kind = AE_FREE, .ptr = 1 }, 0);
	}
	assert_int_equal(timeline_points(w->timeline, &p, &n), 0);
	assert_true(n <= 50 && n >= 20);
	for (size_t k = 0; k < n; k++)
		start = p[k].peak ? p[k].time_ns - peak_at : start;
	for (size_t k = 2; k < n; k++)
		for (uint64_t t = p[k - 1].time_ns; t <= p[k].time_ns; t++)
			assert_true(live_at[t - start] <= p[k].live_bytes ||
				    live_at[t - start] <= p[k - 1].live_bytes);
	free(p);
	free(live_at);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_live_at_the_peak_is_known_after_every_event),
		cmocka_unit_test(a_restarted_profile_has_a_new_peak),
		cmocka_unit_test(the_points_are_bounded_in_order_and_have_the_peak),
		cmocka_unit_test(events_of_the_same_time_are_one_point),
		cmocka_unit_test(no_spike_is_lost_between_two_points),
		cmocka_unit_test(nothing_happened_no_peak),
		cmocka_unit_test(what_a_parent_left_is_not_in_the_childs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
