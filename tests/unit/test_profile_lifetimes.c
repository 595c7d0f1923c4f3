/* SPDX-License-Identifier: BSD-2-Clause */
/* Lifetimes and temporary blocks, against a model that visits every thread and every block. */
#include "unit/unit.h"
#include "lib/random.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

static void tell(struct profile *p, struct alloc_event e)
{
	struct block_change c;

	assert_int_equal(profile_event(p, &e, &c), 0);
}

static void alloc(struct profile *p, int task, uint64_t t, taddr at)
{
	tell(p, (struct alloc_event){ .kind = AE_ALLOC, .task = task, .time_ns = t, .ptr = at,
				      .size = 8 });
}

static void release(struct profile *p, int task, uint64_t t, taddr at)
{
	tell(p, (struct alloc_event){ .kind = AE_FREE, .call = CALL_FREE, .task = task,
				      .time_ns = t, .ptr = at });
}

static void resize(struct profile *p, int task, uint64_t t, taddr old, taddr to,
		   enum alloc_event_kind end)
{
	struct alloc_event e = { .kind = AE_REALLOC_BEGIN, .call = CALL_REALLOC, .task = task,
				 .time_ns = t,
				 .old_ptr = old, .ptr = to, .size = 8 };

	tell(p, e);
	e.kind = end;
	tell(p, e);
}

static uint64_t blocks(const struct profile *p, enum pd_life_axis axis, int bucket)
{
	uint64_t sum = 0;

	struct lifecounts_cursor at = { 0 };
	struct pd_lifetime l;

	while (lifecounts_next(&p->lifetimes.counts, &at, &l))
		if (l.axis == axis && (bucket < 0 || l.bucket == bucket))
			sum += l.blocks;
	return sum;
}

static void buckets_are_powers_of_two(void **state)
{
	(void)state;
	assert_int_equal(lifetimes_bucket(0), 0);
	assert_int_equal(lifetimes_bucket(1), 0);
	assert_int_equal(lifetimes_bucket(2), 1);
	assert_int_equal(lifetimes_bucket(3), 1);
	assert_int_equal(lifetimes_bucket(4), 2);
	assert_int_equal(lifetimes_bucket(1023), 9);
	assert_int_equal(lifetimes_bucket(UINT64_MAX), 63);
}

static void a_block_counts_as_the_longest_that_it_may_have_lived(void **state)
{
	(void)state;
	struct profile *p = profile_new();

	for (taddr at = 0x10; at <= 0x30; at += 0x10)
		tell(p, (struct alloc_event){ .kind = AE_ALLOC, .task = 1, .time_ns = 1000,
					      .until_ns = 9000, .ptr = at, .size = 8 });
	/* By the same look at the clock. */
	tell(p, (struct alloc_event){ .kind = AE_FREE, .task = 1, .time_ns = 1000, .ptr = 0x10,
				      .until_ns = 9000 });
	assert_int_equal(blocks(p, PD_LIFE_NS, 12), 1);
	tell(p, (struct alloc_event){ .kind = AE_FREE, .task = 1, .time_ns = 1100, .ptr = 0x20,
				      .until_ns = 17500 });
	assert_int_equal(blocks(p, PD_LIFE_NS, 14), 1);
	/* Seen by a trap, or by a clock that is behind. */
	tell(p, (struct alloc_event){ .kind = AE_FREE, .task = 1, .time_ns = 1100, .ptr = 0x30,
				      .until_ns = 1050 });
	assert_int_equal(blocks(p, PD_LIFE_NS, 6), 1);
	profile_free(p);
}

static void a_block_is_temporary_until_its_thread_allocates_again(void **state)
{
	(void)state;
	struct profile *p = profile_new();

	alloc(p, 1, 1, 0x10);
	alloc(p, 2, 2, 0x20); /* another thread */
	release(p, 2, 3, 0x10); /* by whomever */
	assert_int_equal(blocks(p, PD_LIFE_TEMPORARY, -1), 1);
	alloc(p, 2, 4, 0x30);
	release(p, 2, 5, 0x20);
	assert_int_equal(blocks(p, PD_LIFE_TEMPORARY, -1), 1);
	release(p, 1, 6, 0x30);
	assert_int_equal(blocks(p, PD_LIFE_TEMPORARY, -1), 2);
	profile_free(p);
}

/* mprof_malloclike() at the beginning of the chunk that the block was cut from: two blocks at one
 * address. */
static void an_announced_block_can_be_temporary_too(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	struct alloc_event cut = { .kind = AE_ALLOC, .task = 1, .time_ns = 2, .ptr = 0x10,
				   .size = 4,
				   .announced = true };
	struct alloc_event back = { .kind = AE_FREE, .call = CALL_FREE, .task = 1, .time_ns = 3,
				    .ptr = 0x10,
				    .announced = true };

	alloc(p, 1, 1, 0x10);
	tell(p, cut);
	tell(p, back);
	assert_int_equal(blocks(p, PD_LIFE_TEMPORARY, -1), 1);
	release(p, 1, 4, 0x10); /* the chunk: the other block was allocated since */
	assert_int_equal(blocks(p, PD_LIFE_TEMPORARY, -1), 1);
	assert_int_equal(blocks(p, PD_LIFE_EVENTS, -1), 2);
	profile_free(p);
}

static void a_realloc_ends_one_life_and_begins_another(void **state)
{
	(void)state;
	struct profile *p = profile_new();

	alloc(p, 1, 100, 0x10);
	resize(p, 1, 108, 0x10, 0x20, AE_REALLOC_MOVED);
	assert_int_equal(blocks(p, PD_LIFE_NS, 3), 1);
	assert_int_equal(blocks(p, PD_LIFE_TEMPORARY, -1), 1);
	resize(p, 1, 109, 0x20, 0, AE_REALLOC_BACK); /* failed: it lives on, and still is the
						        latest */
	resize(p, 1, 172, 0x20, 0, AE_REALLOC_FREED);
	assert_int_equal(blocks(p, PD_LIFE_NS, 6), 1);
	assert_int_equal(blocks(p, PD_LIFE_EVENTS, -1), 2);
	assert_int_equal(blocks(p, PD_LIFE_TEMPORARY, -1), 2);
	profile_free(p);
}

static void unknown_and_inherited_blocks_have_no_lifetime(void **state)
{
	(void)state;
	struct profile *p = profile_new();

	alloc(p, 1, 1, 0x10);
	struct profile *child = profile_fork(p);
	release(child, 2, 2, 0x10);
	release(child, 2, 3, 0x99);
	alloc(child, 2, 4, 0x10);
	alloc(child, 2, 5, 0x10); /* whose end was not seen */
	assert_int_equal(blocks(child, PD_LIFE_EVENTS, -1), 0);
	release(child, 2, 6, 0x10);
	assert_int_equal(blocks(child, PD_LIFE_EVENTS, -1), 1);
	profile_restart(child);
	assert_int_equal(blocks(child, PD_LIFE_EVENTS, -1), 0);
	profile_free(child);
	profile_free(p);
}

static void long_lives_are_told_exactly(void **state)
{
	(void)state;
	struct profile *p = profile_new();

	alloc(p, 1, 1, 0x10);
	p->lifetimes.events += (UINT64_C(1) << 39) - 1;
	release(p, 1, 1 + (UINT64_C(1) << 55), 0x10);
	assert_int_equal(blocks(p, PD_LIFE_EVENTS, 39), 1);
	assert_int_equal(blocks(p, PD_LIFE_NS, 55), 1);
	profile_free(p);
}

enum { ADDRESSES = 50, TASKS = 7, STEPS = 100000 };

static void random_lives_agree_with_a_plain_account(void **state)
{
	(void)state;
	static uint64_t want[PD_LIFE_AXES][64];
	uint64_t born[ADDRESSES] = { 0 }, born_ns[ADDRESSES], seed = 3, events = 0, t = 1000;
	int by[ADDRESSES], last[TASKS];
	struct profile *p = profile_new();

	memset(last, -1, sizeof last);
	for (int i = 0; i < STEPS; i++) {
		uint64_t r = random_next(&seed);
		int a = (int)(r >> 33) % ADDRESSES, task = (int)(r >> 45) % TASKS;

		t += (r >> 40) % 1000;
		events++;
		if (!born[a]) {
			alloc(p, task, t, 16 * (taddr)a + 16);
			born[a] = events;
			born_ns[a] = t;
			by[a] = task;
			last[task] = a;
			continue;
		}
		release(p, (int)(r >> 50) % TASKS, t, 16 * (taddr)a + 16);
		want[PD_LIFE_EVENTS][lifetimes_bucket(events - born[a])]++;
		want[PD_LIFE_NS][lifetimes_bucket(t - born_ns[a])]++;
		want[PD_LIFE_TEMPORARY][0] += last[by[a]] == a;
		if (last[by[a]] == a)
			last[by[a]] = -1;
		born[a] = 0;
	}
	for (int axis = 0; axis < PD_LIFE_AXES; axis++)
		for (int b = 0; b < 64; b++)
			assert_int_equal(blocks(p, (enum pd_life_axis)axis, b), want[axis][b]);
	assert_true(want[PD_LIFE_TEMPORARY][0] > 1000);
	profile_free(p);
}

static void a_live_block_takes_at_most_64_bytes(void **state)
{
	(void)state;
	struct profile *p = profile_new();

	for (taddr i = 1; i <= 1 << 17; i++) {
		alloc(p, 1, i, i * 16);
		if (i > 10000)
			assert_true(live_memory(&p->live) <= 64 * i);
	}
	profile_free(p);
}

static void assert_did(struct profile *p, int task, const struct thread_counts *expected)
{
	const struct thread_counts *did = lifetimes_of_task(&p->lifetimes, task);

	assert_non_null(did);
	assert_memory_equal(did, expected, sizeof *did);
}

static void what_is_done_to_blocks_is_counted_for_who_does_it(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	assert_non_null(p);
	alloc(p, 1, 1, 0x10);
	alloc(p, 1, 1, 0x20);
	alloc(p, 2, 1, 0x30);
	release(p, 3, 2, 0x10); /* it has requested nothing itself */
	release(p, 3, 2, 0x90); /* of a block that is not known */
	resize(p, 2, 3, 0x20, 0x40, AE_REALLOC_MOVED);
	resize(p, 2, 4, 0x40, 0, AE_REALLOC_BACK);
	resize(p, 1, 5, 0x30, 0, AE_REALLOC_FREED);
	/* Handed out again: nobody was seen to free it. */
	alloc(p, 1, 6, 0x40);
	assert_did(p, 1, &(struct thread_counts){ 3, 24, 1, 8 });
	assert_did(p, 2, &(struct thread_counts){ 2, 16, 1, 8 });
	assert_did(p, 3, &(struct thread_counts){ 0, 0, 1, 8 });
	assert_int_equal(p->totals.allocs, 5);
	assert_int_equal(p->totals.frees, 4);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_powers_of_two),
		cmocka_unit_test(a_block_counts_as_the_longest_that_it_may_have_lived),
		cmocka_unit_test(a_block_is_temporary_until_its_thread_allocates_again),
		cmocka_unit_test(what_is_done_to_blocks_is_counted_for_who_does_it),
		cmocka_unit_test(an_announced_block_can_be_temporary_too),
		cmocka_unit_test(a_realloc_ends_one_life_and_begins_another),
		cmocka_unit_test(unknown_and_inherited_blocks_have_no_lifetime),
		cmocka_unit_test(long_lives_are_told_exactly),
		cmocka_unit_test(random_lives_agree_with_a_plain_account),
		cmocka_unit_test(a_live_block_takes_at_most_64_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
