/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile that keeps less, to save memory: what it keeps is exact, and the rest is missing. */
#include "unit/unit.h"
#include "profile/profile.h"

enum { S = 1000000000, FRAMES = 5 };

/* Blocks of 10 bytes at the end of five calls, one a second; each is freed half a second later. */
static void live_for(struct profile *p, uint64_t from, uint64_t to)
{
	struct block_change c;
	uint32_t frames[FRAMES];

	for (unsigned k = 0; k < FRAMES; k++)
		frames[k] = profile_frame(p, &(struct profile_place){ .address = 0x100 + k });
	for (uint64_t t = from; t < to; t++) {
		struct alloc_event e = { .kind = AE_ALLOC, .ptr = 0x1000 + t * 16, .size = 10,
					 .time_ns = t * S,
					 .chain = { .frames = frames, .n = FRAMES } };
		struct alloc_event f = { .kind = AE_FREE, .ptr = e.ptr,
					 .time_ns = t * S + S / 2 };

		assert_int_equal(profile_event(p, &e, &c), 0);
		assert_int_equal(profile_event(p, &f, &c), 0);
	}
}

static struct profile *lived(void)
{
	struct profile *p = profile_new();

	assert_non_null(p);
	profile_keep_series(p, 50);
	live_for(p, 1, 40);
	return p;
}

static size_t n_windows(const struct profile *p)
{
	struct kept_windows k;

	assert_int_equal(profile_list_windows(p, &k), 0);
	const size_t n = k.n + k.n_survivors + (k.window_ns != 0);
	kept_windows_release(&k);
	return n;
}

static size_t n_series(const struct profile *p)
{
	struct kept_series k;

	assert_int_equal(profile_list_series(p, &k), 0);
	const size_t n = k.n;
	kept_series_release(&k);
	return n;
}

static void assert_has_lifetimes(const struct profile *p, bool has)
{
	struct lifecounts_cursor at = { 0 };
	struct pd_lifetime l;

	assert_int_equal(lifecounts_next(&p->lifetimes.counts, &at, &l), has);
}

static void lifetimes_are_given_back_and_nothing_else(void **state)
{
	struct profile *p = lived();
	const uint64_t before = profile_used(p);

	(void)state;
	assert_has_lifetimes(p, true);
	profile_spare(p, &(struct pd_spared){ .lifetimes = 1 });
	assert_true(profile_used(p) < before);
	live_for(p, 40, 50);
	assert_has_lifetimes(p, false);
	assert_true(n_windows(p) && n_series(p));
	assert_int_equal(p->totals.frees, 49);
	assert_int_equal(p->totals.truncated_chains, 0);
	profile_free(p);
}

static void the_time_is_given_back_and_counts_go_on(void **state)
{
	struct profile *p = lived();
	const uint64_t before = profile_used(p);

	(void)state;
	profile_spare(p, &(struct pd_spared){ .timeline = 1 });
	assert_true(profile_used(p) < before);
	live_for(p, 40, 500);
	profile_keep_series(p, 50);
	live_for(p, 500, 510);
	assert_int_equal(n_windows(p), 0);
	assert_int_equal(n_series(p), 0);
	assert_has_lifetimes(p, true);
	assert_int_equal(p->totals.allocs, 509);
	assert_int_equal(p->live_bytes, 0);
	profile_free(p);
}

static void chains_are_cut_from_then_on(void **state)
{
	struct profile *p = lived();
	const size_t nodes = p->n_nodes;

	(void)state;
	profile_spare(p, &(struct pd_spared){ .depth = FRAMES });
	live_for(p, 40, 50);
	assert_int_equal(p->n_nodes, nodes);
	assert_int_equal(p->totals.truncated_chains, 0);
	profile_spare(p, &(struct pd_spared){ .depth = 2 });
	live_for(p, 50, 60);
	assert_int_equal(p->n_nodes, nodes + 2);
	assert_int_equal(p->nodes[nodes].parent, PD_ROOT_TRUNCATED);
	assert_int_equal(p->totals.truncated_chains, 10);
	assert_int_equal(p->totals.truncated_cut, 10);
	assert_int_equal(p->n_leaves, 2);
	assert_int_equal(p->leaves[0].allocs, 49);
	assert_int_equal(p->leaves[1].allocs, 10);
	profile_free(p);
}

static void what_is_spared_stays_so_in_a_copy_and_when_it_begins_anew(void **state)
{
	struct profile *p = lived();

	(void)state;
	profile_spare(p, &(struct pd_spared){ 1, 1, 2 });
	struct profile *child = profile_fork(p);

	assert_non_null(child);
	profile_restart(p);
	live_for(p, 100, 200);
	live_for(child, 100, 200);
	for (int i = 0; i < 2; i++) {
		struct profile *q = i ? child : p;

		assert_has_lifetimes(q, false);
		assert_int_equal(n_windows(q) + n_series(q), 0);
		assert_int_equal(q->totals.truncated_cut, 100);
		assert_int_equal(q->totals.frees, 100);
	}
	profile_free(p);
	profile_free(child);
}

static void one_that_is_finished_gives_back_what_it_has_kept(void **state)
{
	struct profile *p = lived();

	(void)state;
	assert_int_equal(profile_finish(p), 0);
	const uint64_t before = profile_used(p);

	assert_true(n_windows(p) && n_series(p));
	profile_spare(p, &(struct pd_spared){ 1, 1, 16 });
	assert_true(profile_used(p) < before);
	assert_int_equal(n_windows(p) + n_series(p), 0);
	assert_has_lifetimes(p, false);
	assert_int_equal(p->leaves[0].frees, 39);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lifetimes_are_given_back_and_nothing_else),
		cmocka_unit_test(the_time_is_given_back_and_counts_go_on),
		cmocka_unit_test(chains_are_cut_from_then_on),
		cmocka_unit_test(what_is_spared_stays_so_in_a_copy_and_when_it_begins_anew),
		cmocka_unit_test(one_that_is_finished_gives_back_what_it_has_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
