/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks from before: how a profile counts their frees, by hand. */
#include "unit/unit.h"
#include "profile/before.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define A 0x1010u
#define B 0x1030u
#define C 0x7f0000002010u
#define D 0x9000u

static struct before_block *blocks_of(const struct before_block *v, size_t n)
{
	struct before_block *copy = malloc(n * sizeof *v + 1);

	assert_non_null(copy);
	memcpy(copy, v, n * sizeof *v);
	return copy;
}

static const struct before_block three[] = {{A, 24}, {B, 24}, {C, 1000}};

static int profile_setup(void **state)
{
	struct profile *p = profile_new();
	struct before b = {0};

	assert_non_null(p);
	assert_int_equal(before_set(&b, blocks_of(three, 3), 3), 0);
	profile_set_before(p, &b);
	assert_int_equal(b.n, 0);
	*state = p;
	return 0;
}

static int profile_teardown(void **state)
{
	profile_free(*state);
	return 0;
}

static void event(struct profile *p, struct alloc_event e)
{
	struct block_change c;
	uint32_t frame = profile_frame(p, &(struct profile_place){.address = 1});

	e.chain.n = 1;
	e.chain.frames = &frame;
	assert_int_equal(profile_event(p, &e, &c), 0);
	if (e.kind == AE_FREE)
		assert_int_equal(c.kind == BLOCK_GONE, c.old_leaf != PD_NONE);
}

static void request(struct profile *p, taddr ptr)
{
	event(p, (struct alloc_event){.kind = AE_ALLOC, .ptr = ptr, .size = 8});
}

static void release(struct profile *p, taddr ptr)
{
	event(p, (struct alloc_event){.kind = AE_FREE, .ptr = ptr});
}

static void resize(struct profile *p, enum alloc_event_kind end, taddr old, taddr ptr)
{
	event(p, (struct alloc_event){.kind = AE_REALLOC_BEGIN, .task = 1, .old_ptr = old});
	event(p,
	      (struct alloc_event){.kind = end, .task = 1, .old_ptr = old, .ptr = ptr, .size = 8});
}

/* found, freed, missed: blocks and bytes; then unknown frees */
static void assert_before(const struct profile *p, uint64_t freed, uint64_t freed_bytes,
			  uint64_t missed, uint64_t unknown)
{
	assert_int_equal(p->before.freed.blocks, freed);
	assert_int_equal(p->totals.before_frees, freed);
	assert_int_equal(p->before.freed.bytes, freed_bytes);
	assert_int_equal(p->before.missed.blocks, missed);
	assert_int_equal(p->totals.unknown_frees, unknown);
}

static void a_block_from_before_is_freed_once(void **state)
{
	struct profile *p = *state;

	assert_int_equal(p->before.found.blocks, 3);
	assert_int_equal(p->before.found.bytes, 1048);
	assert_true(profile_knows(p, B));
	release(p, B);
	assert_false(profile_knows(p, B));
	assert_before(p, 1, 24, 0, 0);
	release(p, B);
	assert_before(p, 1, 24, 0, 1);
	release(p, C);
	assert_before(p, 2, 1024, 0, 1);
	release(p, A + 16);
	assert_before(p, 2, 1024, 0, 2);
	assert_int_equal(p->totals.frees, 0);
}

static void what_the_allocator_frees_for_the_program_counts_too(void **state)
{
	struct profile *p = *state;

	event(p, (struct alloc_event){.kind = AE_FREE, .ptr = A, .by_allocator = true});
	assert_before(p, 1, 24, 0, 0);
}

/* It may be a pool's block, unrelated to the block that malloc has there. */
static void what_is_announced_is_none_of_them(void **state)
{
	struct profile *p = *state;

	event(p, (struct alloc_event){.kind = AE_ALLOC, .ptr = A, .size = 8, .announced = true});
	assert_before(p, 0, 0, 0, 0);
	event(p, (struct alloc_event){.kind = AE_FREE, .ptr = A, .announced = true});
	assert_before(p, 0, 0, 0, 0);
	assert_true(profile_knows(p, A));
}

static void an_address_that_is_handed_out_again_was_freed_unseen(void **state)
{
	struct profile *p = *state;

	request(p, B);
	assert_before(p, 0, 0, 1, 0);
	release(p, B);
	assert_before(p, 0, 0, 1, 0);
	assert_int_equal(p->totals.frees, 1);
	release(p, B);
	assert_before(p, 0, 0, 1, 1);
	/* Whose end was seen was not missed. */
	release(p, A);
	request(p, A);
	assert_before(p, 1, 24, 1, 1);
}

static void a_realloc_of_one_frees_it_or_leaves_it(void **state)
{
	struct profile *p = *state;

	resize(p, AE_REALLOC_BACK, A, 0);
	assert_before(p, 0, 0, 0, 0);
	assert_true(profile_knows(p, A));
	resize(p, AE_REALLOC_MOVED, A, D);
	assert_before(p, 1, 24, 0, 0);
	resize(p, AE_REALLOC_MOVED, B, B);
	assert_before(p, 2, 48, 0, 0);
	assert_int_equal(p->totals.allocs, 2);
	resize(p, AE_REALLOC_FREED, C, 0);
	assert_before(p, 3, 1048, 0, 0);
}

/* The call was abandoned after it had moved the block, and the address has been returned again. */
static void a_realloc_that_was_given_up_may_have_freed_it(void **state)
{
	struct profile *p = *state;

	event(p, (struct alloc_event){.kind = AE_REALLOC_BEGIN, .task = 1, .old_ptr = A});
	request(p, A);
	event(p, (struct alloc_event){.kind = AE_REALLOC_BACK, .task = 1, .old_ptr = A});
	assert_before(p, 1, 24, 0, 0);
	assert_int_equal(p->live.table.n, 1);
}

static void a_realloc_that_had_begun_before_is_one_of_theirs(void **state)
{
	struct profile *p = *state;

	event(p, (struct alloc_event){.kind = AE_REALLOC_BACK, .task = 1, .old_ptr = A});
	assert_true(profile_knows(p, A));
	event(p, (struct alloc_event){
			 .kind = AE_REALLOC_MOVED, .task = 1, .old_ptr = A, .ptr = D, .size = 8});
	assert_before(p, 1, 24, 0, 0);
}

static void a_child_begins_with_those_that_are_left(void **state)
{
	struct profile *p = *state, *child;

	release(p, A);
	request(p, B);
	child = profile_fork(p);
	assert_non_null(child);
	assert_int_equal(child->before.found.blocks, 1);
	assert_int_equal(child->before.found.bytes, 1000);
	release(child, C);
	assert_before(child, 1, 1000, 0, 0);
	release(child, A);
	assert_before(child, 1, 1000, 0, 1);
	/* The parent knows nothing of that. */
	assert_before(p, 1, 24, 1, 0);
	assert_true(profile_knows(p, C));
	profile_free(child);
}

static void hold(struct profile *p, taddr ptr)
{
	event(p, (struct alloc_event){.kind = AE_REALLOC_BEGIN, .task = 2, .old_ptr = ptr});
}

static void what_a_realloc_holds_is_left(void **state)
{
	struct profile *p = *state, *child;

	hold(p, A);
	child = profile_fork(p);
	assert_non_null(child);
	assert_int_equal(child->before.found.blocks, 3);
	release(child, A);
	assert_before(child, 1, 24, 0, 0);
	profile_free(child);
	profile_restart(p);
	assert_int_equal(p->before.found.blocks, 3);
	event(p, (struct alloc_event){
			 .kind = AE_REALLOC_MOVED, .task = 2, .old_ptr = A, .ptr = D, .size = 8});
	assert_before(p, 1, 24, 0, 0);
}

static void what_a_realloc_holds_is_not_told_as_freed(void **state)
{
	struct profile *p = *state;
	struct before_bin *bins;
	size_t n;

	hold(p, A);
	assert_int_equal(before_list(&p->before, &bins, &n), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(bins[i].freed, 0);
	free(bins);
	event(p, (struct alloc_event){.kind = AE_REALLOC_BACK, .task = 2, .old_ptr = A});
	assert_before(p, 0, 0, 0, 0);
}

static void who_begins_anew_has_those_before_that_are_left(void **state)
{
	struct profile *p = *state;

	release(p, A);
	profile_restart(p);
	assert_int_equal(p->before.found.blocks, 2);
	assert_before(p, 0, 0, 0, 0);
	release(p, A);
	release(p, C);
	assert_before(p, 1, 1000, 0, 1);
}

static void they_are_told_by_size_also_when_it_is_over(void **state)
{
	static const struct before_bin want[] = {{24, 2, 1, 1}, {1000, 1, 0, 0}};
	struct profile *p = *state;
	struct before_bin *bins;
	size_t n;

	release(p, A);
	request(p, B);
	for (int finished = 0; finished < 2; finished++) {
		assert_int_equal(before_list(&p->before, &bins, &n), 0);
		assert_int_equal(n, 2);
		assert_memory_equal(bins, want, sizeof want);
		free(bins);
		assert_int_equal(profile_finish(p), 0);
		assert_int_equal(p->before.n, 0);
	}
	assert_before(p, 1, 24, 1, 0);
}

static void many_sizes_of_many_blocks_are_told(void **state)
{
	enum { N = 100000 };
	struct before_block *v = malloc(N * sizeof *v);
	struct before b = {0};
	struct before_bin *bins;
	uint64_t blocks = 0;
	size_t n;

	(void)state;
	for (size_t i = 0; i < N; i++)
		v[i] = (struct before_block){0x100000 + 64 * i, i % 50000 * 16 + 24};
	assert_int_equal(before_set(&b, v, N), 0);
	for (size_t i = 0; i < N; i += 3)
		assert_true(before_hold(&b, 0x100000 + 64 * i));
	for (size_t i = 0; i < N; i += 3)
		before_held_freed(&b, 0x100000 + 64 * i);
	assert_int_equal(before_list(&b, &bins, &n), 0);
	assert_int_equal(n, 50000);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(bins[i].usable, i * 16 + 24);
		blocks += bins[i].blocks;
	}
	assert_int_equal(blocks, N);
	assert_int_equal(b.freed.blocks, (N + 2) / 3);
	assert_true(before_memory(&b) < N * 24);
	free(bins);
	before_release(&b);
}

static void what_is_out_of_order_or_too_large_is_refused(void **state)
{
	static const struct before_block twice[] = {{A, 24}, {A, 24}}, back[] = {{B, 24}, {A, 24}},
					 null[] = {{0, 24}}, flagged[] = {{A, BEFORE_GONE | 24}};
	struct before b = {0};

	(void)state;
	assert_int_equal(before_set(&b, blocks_of(twice, 2), 2), -EINVAL);
	assert_int_equal(before_set(&b, blocks_of(back, 2), 2), -EINVAL);
	assert_int_equal(before_set(&b, blocks_of(null, 1), 1), -EINVAL);
	assert_int_equal(before_set(&b, blocks_of(flagged, 1), 1), -EINVAL);
	assert_int_equal(b.how, BEFORE_UNKNOWN);
	assert_int_equal(before_set(&b, blocks_of(three, 0), 0), 0);
	assert_int_equal(b.how, BEFORE_WALKED);
	assert_false(before_has(&b, A));
	before_release(&b);
}

static void a_count_leaves_frees_unknown(void **state)
{
	struct profile *p = profile_new(), *child;
	struct before b = {0};

	(void)state;
	before_count(&b, (struct before_sum){5, 100});
	profile_set_before(p, &b);
	release(p, A);
	assert_before(p, 0, 0, 0, 1);
	child = profile_fork(p);
	assert_int_equal(child->before.how, BEFORE_COUNTED);
	profile_restart(p);
	assert_int_equal(p->before.found.blocks, 5);
	profile_free(child);
	profile_free(p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, profile_setup, profile_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_block_from_before_is_freed_once),
		TEST(what_the_allocator_frees_for_the_program_counts_too),
		TEST(what_is_announced_is_none_of_them),
		TEST(an_address_that_is_handed_out_again_was_freed_unseen),
		TEST(a_realloc_of_one_frees_it_or_leaves_it),
		TEST(a_realloc_that_was_given_up_may_have_freed_it),
		TEST(a_realloc_that_had_begun_before_is_one_of_theirs),
		TEST(a_child_begins_with_those_that_are_left),
		TEST(what_a_realloc_holds_is_left),
		TEST(what_a_realloc_holds_is_not_told_as_freed),
		TEST(who_begins_anew_has_those_before_that_are_left),
		TEST(they_are_told_by_size_also_when_it_is_over),
		cmocka_unit_test(many_sizes_of_many_blocks_are_told),
		cmocka_unit_test(what_is_out_of_order_or_too_large_is_refused),
		cmocka_unit_test(a_count_leaves_frees_unknown),
	};

	return cmocka_run_group_tests_name("profile before", tests, NULL, NULL);
}
