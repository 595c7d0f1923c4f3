/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of time, against a model that visits every event again. */
#include "unit/unit.h"
#include "lib/random.h"
#include "profile/profile.h"
#include "profile/trend.h"

#include <stdlib.h>
#include <string.h>

enum { SITES = 3, EVENTS = 4000, SIZE = 10 };

struct told {
	uint64_t t;
	unsigned site;
	int change;
};

static void tell(struct profile *p, struct alloc_event e)
{
	struct block_change c;

	assert_int_equal(profile_event(p, &e, &c), 0);
}

/* The chain of site @site: one call. */
static struct alloc_chain chain_of(struct profile *p, unsigned site, uint32_t *frame)
{
	struct profile_place place = {.address = 0x1000 + site, .module = 0};

	*frame = profile_frame(p, &place);
	return (struct alloc_chain){.frames = frame, .n = 1};
}

static uint32_t node_of(struct profile *p, unsigned site)
{
	uint32_t frame;
	struct alloc_chain chain = chain_of(p, site, &frame);

	return profile_chain_node(p, &chain);
}

static void allocate(struct profile *p, uint64_t t, unsigned site, taddr at)
{
	uint32_t frame;

	tell(p, (struct alloc_event){.kind = AE_ALLOC,
				     .time_ns = t,
				     .ptr = at,
				     .size = SIZE,
				     .chain = chain_of(p, site, &frame)});
}

static void release(struct profile *p, uint64_t t, taddr at)
{
	tell(p, (struct alloc_event){.kind = AE_FREE, .call = CALL_FREE, .time_ns = t, .ptr = at});
}

/* The series of a site as a report would see it. */
static struct trend_series series_of(struct profile *p, unsigned site)
{
	struct kept_windows k;
	struct trend_series s = {0};
	size_t first = 0, n = 0;

	assert_int_equal(profile_list_windows(p, &k), 0);
	s.n = k.over;
	s.window_ns = k.window_ns;
	for (size_t i = 0; i < k.n; i++)
		if (k.v[i].node == node_of(p, site)) {
			first = n ? first : i;
			n++;
		}
	trend_add_windows(&s, k.v + first, n);
	for (size_t i = 0; i < k.n_survivors; i++)
		if (k.survivors[i].node == node_of(p, site)) {
			assert_int_equal(k.survivors[i].bytes, SIZE * k.survivors[i].blocks);
			s.survivors[k.survivors[i].i] += k.survivors[i].blocks;
		}
	kept_windows_release(&k);
	return s;
}

/* What has been there in window @i of @s, looked at event by event. */
static void check_window(const struct trend_series *s, uint32_t i, const struct told *v, size_t n,
			 unsigned site)
{
	uint64_t live = 0, low, high, births = 0;
	size_t at = 0;

	for (; at < n && v[at].t < i * s->window_ns; at++)
		live += v[at].site == site ? (uint64_t)v[at].change : 0;
	low = high = live;
	for (; at < n && v[at].t < (i + 1) * s->window_ns; at++) {
		if (v[at].site != site)
			continue;
		live += (uint64_t)v[at].change;
		births += v[at].change > 0;
		low = live < low ? live : low;
		high = live > high ? live : high;
	}
	assert_int_equal(s->low[i], low);
	assert_int_equal(s->high[i], high);
	assert_int_equal(s->low_bytes[i], SIZE * low);
	assert_int_equal(s->high_bytes[i], SIZE * high);
	assert_int_equal(s->births[i], births);
}

/* A site rests now and then for a while, so that it has no windows there. */
static uint64_t play(struct profile *p, struct told *v, size_t n)
{
	taddr held[SITES][EVENTS];
	size_t n_held[SITES] = {0};
	uint64_t t = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned site = (unsigned)random_below(SITES);
		bool begins = i < SITES * WINDOWS_FEW;

		site = begins ? (unsigned)i % SITES : site;
		t += begins ? 0 : random_below(random_below(50) ? 1000 : 200000);
		if (begins || !n_held[site] || random_below(100) < 52) {
			held[site][n_held[site]++] = 0x1000 + 16 * i;
			allocate(p, t, site, 0x1000 + 16 * i);
			v[i] = (struct told){t, site, 1};
		} else {
			size_t which = random_below(n_held[site]);

			release(p, t, held[site][which]);
			held[site][which] = held[site][--n_held[site]];
			v[i] = (struct told){t, site, -1};
		}
	}
	return t;
}

static void windows_tell_floors_ceilings_and_births(void **state)
{
	static struct told v[EVENTS];

	(void)state;
	for (int turn = 0; turn < 60; turn++) {
		struct profile *p = profile_new();
		size_t n = 100 + random_below(EVENTS - 100);

		assert_non_null(p);
		profile_set_shortest_window(p, 1000 + random_below(100000));
		profile_stamp(p, 0);
		uint64_t end = play(p, v, n) + random_below(100000);

		profile_stamp(p, end);
		for (unsigned site = 0; site < SITES; site++) {
			struct trend_series s = series_of(p, site);

			assert_true(s.n < WINDOWS_MAX);
			assert_int_equal(s.n, end / s.window_ns);
			for (uint32_t i = 0; i < s.n; i++)
				check_window(&s, i, v, n, site);
		}
		profile_free(p);
	}
}

static struct profile *begun(void)
{
	struct profile *p = profile_new();

	assert_non_null(p);
	profile_set_shortest_window(p, 100);
	profile_stamp(p, 5000);
	return p;
}

static void survivors_are_counted_by_the_window_of_their_birth(void **state)
{
	struct profile *p = begun();

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		allocate(p, 5000 + 100 * i, 1, 16 * (i + 1));
	for (unsigned i = 0; i < 40; i += 2)
		release(p, 9000, 16 * (i + 1));
	profile_stamp(p, 9100);
	struct trend_series s = series_of(p, 1);

	assert_int_equal(s.n, 41);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(s.survivors[i], i % 2);
	profile_free(p);
}

/* On a machine that has been up for three years: 56 bits of an allocation's time are kept. */
static void survivors_are_counted_after_834_days_too(void **state)
{
	const uint64_t begin = (UINT64_C(1) << 56) - 1000;
	struct profile *p = profile_new();

	(void)state;
	assert_non_null(p);
	profile_set_shortest_window(p, 100);
	profile_stamp(p, begin);
	for (unsigned i = 0; i < 40; i++)
		allocate(p, begin + 100 * i, 1, 16 * (i + 1));
	profile_stamp(p, begin + 4100);
	struct trend_series s = series_of(p, 1);

	assert_int_equal(s.n, 41);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(s.survivors[i], 1);
	profile_free(p);
}

static void a_block_that_is_enlarged_is_there_all_the_time(void **state)
{
	struct profile *p = begun();
	uint32_t frame;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		allocate(p, 5000, 1, 16 * (i + 1));
	for (unsigned i = 1; i < 30; i++) {
		struct alloc_event e = {.kind = AE_REALLOC_BEGIN,
					.call = CALL_REALLOC,
					.time_ns = 5000 + 100 * i,
					.old_ptr = 16,
					.ptr = 16,
					.size = SIZE + i,
					.chain = chain_of(p, 1, &frame)};

		tell(p, e);
		e.kind = AE_REALLOC_MOVED;
		tell(p, e);
	}
	profile_stamp(p, 5000 + 100 * 30);
	struct kept_windows k;

	assert_int_equal(profile_list_windows(p, &k), 0);
	assert_int_equal(k.n, 30);
	for (uint32_t i = 1; i < 30; i++) {
		assert_int_equal(k.v[i].low, 20);
		assert_int_equal(k.v[i].low_bytes, 20 * SIZE + i - 1);
		assert_int_equal(k.v[i].births, 1);
	}
	kept_windows_release(&k);
	profile_free(p);
}

static void a_profile_begun_anew_has_new_windows(void **state)
{
	struct profile *p = begun();

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		allocate(p, 5000 + 100 * i, 1, 16 * (i + 1));
	profile_restart(p);
	profile_stamp(p, 100000);
	for (unsigned i = 0; i < 40; i++)
		allocate(p, 100000 + 10 * i, 1, 16 * (i + 1));
	profile_stamp(p, 100400);
	struct trend_series s = series_of(p, 1);

	assert_int_equal(s.n, 4);
	assert_int_equal(s.window_ns, 100);
	assert_int_equal(s.low[0], 0);
	assert_int_equal(s.low[3], 30);
	assert_int_equal(s.births[3], 10);
	profile_free(p);
}

/* Nodes are renumbered, and the live blocks are dropped. */
static void a_finished_profile_still_tells_its_windows(void **state)
{
	struct profile *p = begun();

	(void)state;
	allocate(p, 5000, 0, 8);
	for (unsigned i = 0; i < 40; i++)
		allocate(p, 5000 + 100 * i, 1, 16 * (i + 1));
	profile_stamp(p, 9000);
	struct trend_series before = series_of(p, 1), after = {0};
	struct kept_windows k;

	assert_int_equal(profile_finish(p), 0);
	assert_int_equal(profile_list_windows(p, &k), 0);
	after.n = k.over;
	trend_add_windows(&after, k.v, k.n);
	assert_memory_equal(before.low, after.low, sizeof before.low);
	assert_int_equal(k.n_survivors, 40);
	for (size_t i = 0; i < k.n; i++)
		assert_in_range(k.v[i].node, PD_FIRST_NODE, p->n_nodes - 1);
	kept_windows_release(&k);
	profile_free(p);
}

/* The tables print it, and two runs of one program must print the same tables. */
static void the_memory_told_is_not_a_matter_of_time(void **state)
{
	struct profile *slow = begun(), *quick = begun();

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		allocate(slow, 5000 + 100 * i, i % 7 + i / 400, 16 * (i + 1));
		allocate(quick, 5000, i % 7 + i / 400, 16 * (i + 1));
	}
	assert_int_equal(profile_memory(slow).counters, profile_memory(quick).counters);
	profile_free(slow);
	profile_free(quick);
}

static void a_child_has_its_own_windows(void **state)
{
	struct profile *p = begun(), *child;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		allocate(p, 5000 + 100 * i, 1, 16 * (i + 1));
	child = profile_fork(p);
	assert_non_null(child);
	profile_stamp(child, 8000);
	for (unsigned i = 0; i < 8; i++)
		release(child, 8000, 16 * (i + 1));
	for (unsigned i = 0; i < 8; i++)
		allocate(child, 8000, 1, 16 * (i + 1));
	profile_stamp(child, 8200);
	struct trend_series s = series_of(child, 1);

	assert_int_equal(s.n, 2);
	assert_int_equal(s.births[0], 8);
	assert_int_equal(s.low[1], 8);
	profile_free(child);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_tell_floors_ceilings_and_births),
		cmocka_unit_test(survivors_are_counted_by_the_window_of_their_birth),
		cmocka_unit_test(survivors_are_counted_after_834_days_too),
		cmocka_unit_test(a_block_that_is_enlarged_is_there_all_the_time),
		cmocka_unit_test(a_profile_begun_anew_has_new_windows),
		cmocka_unit_test(a_finished_profile_still_tells_its_windows),
		cmocka_unit_test(the_memory_told_is_not_a_matter_of_time),
		cmocka_unit_test(a_child_has_its_own_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
