/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a look: for which blocks they still hold when the blocks are counted. */
#include "unit/unit.h"

#include "profile/profile.h"

#include <stdio.h>

#define A 0x1010u
#define B 0x1030u
#define C 0x1050u
#define D 0x1070u

enum { LOOKED_NS = 1000 };

static const struct pd_reach looked = {.known = 1, .sums = {{1, 8}, {2, 16}, {3, 24}, {4, 32}}};

/* A chain of one element. */
static void event(struct profile *p, struct alloc_event e, uint64_t place)
{
	struct block_change c;
	uint32_t frame = profile_frame(p, &(struct profile_place){.address = place});

	e.chain.n = 1;
	e.chain.frames = &frame;
	assert_int_equal(profile_event(p, &e, &c), 0);
}

static void request(struct profile *p, taddr ptr, uint64_t place)
{
	event(p, (struct alloc_event){.kind = AE_ALLOC, .ptr = ptr, .size = 8}, place);
}

static void release(struct profile *p, taddr ptr)
{
	event(p, (struct alloc_event){.kind = AE_FREE, .ptr = ptr}, 1);
}

/* A and B from one place, C and D from another. */
static int four_blocks(void **state)
{
	struct profile *p = profile_new();

	assert_non_null(p);
	request(p, A, 1);
	request(p, B, 1);
	request(p, C, 2);
	request(p, D, 2);
	profile_looked(p, &looked);
	*state = p;
	return 0;
}

static int end(void **state)
{
	profile_free(*state);
	return 0;
}

static void mark(struct profile *p, taddr ptr, enum pd_reach_class class)
{
	struct said_of_block said = {ptr, class, {0}};

	assert_int_equal(profile_mark(p, &said, LOOKED_NS), 0);
}

/* "place:class=blocks ..." and how many were freed later. */
static void assert_marked(const struct profile *p, const char *expected, uint64_t freed)
{
	struct mark_counts m;
	char text[128] = "";
	int at = 0;

	assert_int_equal(profile_list_marks(p, &m), 0);
	for (size_t i = 0; i < m.n; i++) {
		uint32_t node = p->leaves[m.v[i].leaf].node;

		at += snprintf(text + at, sizeof text - (size_t)at, "%s%d:%d=%d", i ? " " : "",
			       (int)p->places[p->nodes[node].frame].address, m.v[i].class,
			       (int)m.v[i].blocks);
	}
	assert_string_equal(text, expected);
	assert_int_equal(m.reach.freed, freed);
	assert_int_equal(m.reach.known, 1);
	assert_int_equal(m.reach.sums[PD_REACHABLE].bytes, 32);
	mark_counts_release(&m);
}

static void blocks_are_counted_by_leaf_and_class(void **state)
{
	mark(*state, A, PD_LOST);
	mark(*state, C, PD_POSSIBLE);
	mark(*state, B, PD_LOST);
	mark(*state, D, PD_LOST_THROUGH);
	assert_marked(*state, "1:0=2 2:1=1 2:2=1", 0);
}

/* B was not seen. */
static void what_is_reachable_was_seen_and_what_was_not_seen_is_not(void **state)
{
	mark(*state, A, PD_REACHABLE);
	mark(*state, C, PD_REACHABLE);
	mark(*state, D, PD_REACHABLE);
	assert_marked(*state, "1:3=1 2:3=2", 0);
	release(*state, C);
	request(*state, C, 2);
	assert_marked(*state, "1:3=1 2:3=1", 0);
	release(*state, A);
	assert_marked(*state, "2:3=1", 0);
	mark(*state, C, PD_LOST);
	assert_marked(*state, "2:0=1 2:3=1", 0);
	profile_looked(*state, &looked);
	assert_marked(*state, "", 0);
}

/* Nothing hangs on blocks that have been freed since. */
static void what_hangs_on_lost_blocks_is_counted_with_these(void **state)
{
	const struct said_of_block said[] = {
		{A, PD_LOST, {3, 100}}, {B, PD_LOST, {4, 200}}, {C, PD_LOST, {5, 400}}};
	struct mark_counts m;

	for (int i = 0; i < 3; i++)
		assert_int_equal(profile_mark(*state, &said[i], LOOKED_NS), 0);
	release(*state, C);
	assert_int_equal(profile_list_marks(*state, &m), 0);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.v[0].blocks, 2);
	assert_int_equal(m.v[0].hanging.blocks, 7);
	assert_int_equal(m.v[0].hanging.bytes, 300);
	mark_counts_release(&m);
}

static void of_a_block_that_was_not_counted_nothing_is_kept(void **state)
{
	mark(*state, 0x2000, PD_LOST);
	mark(*state, A, PD_LOST);
	assert_marked(*state, "1:0=1", 0);
}

/* A possibly lost block was not said to be lost. */
static void a_block_that_is_freed_later_was_not_lost(void **state)
{
	mark(*state, A, PD_LOST);
	mark(*state, B, PD_LOST_THROUGH);
	mark(*state, C, PD_POSSIBLE);
	mark(*state, D, PD_LOST);
	release(*state, A);
	release(*state, B);
	release(*state, C);
	assert_marked(*state, "2:0=1", 2);
}

static void another_block_at_its_address_is_another_one(void **state)
{
	mark(*state, A, PD_LOST);
	release(*state, A);
	request(*state, A, 2);
	assert_marked(*state, "", 1);
}

/* The copy is older than the block that is to be marked. */
static void a_block_that_is_newer_than_the_look_was_not_seen(void **state)
{
	release(*state, A);
	event(*state,
	      (struct alloc_event){.kind = AE_ALLOC, .ptr = A, .size = 8, .time_ns = LOOKED_NS + 1},
	      2);
	mark(*state, A, PD_LOST);
	mark(*state, B, PD_LOST);
	assert_marked(*state, "1:0=1", 0);
}

static void release_at(struct profile *p, taddr ptr, uint64_t time_ns)
{
	event(p, (struct alloc_event){.kind = AE_FREE, .ptr = ptr, .time_ns = time_ns}, 1);
}

/* It takes a while until the results of the copy are known. */
static void a_block_that_is_freed_before_it_can_be_marked_was_not_lost(void **state)
{
	profile_look(*state, LOOKED_NS);
	release_at(*state, A, LOOKED_NS + 1);
	release_at(*state, B, LOOKED_NS + 2);
	release_at(*state, C, LOOKED_NS + 3);
	event(*state,
	      (struct alloc_event){.kind = AE_ALLOC, .ptr = B, .size = 8, .time_ns = LOOKED_NS + 4},
	      2);
	profile_looked(*state, &looked);
	mark(*state, A, PD_LOST);
	mark(*state, B, PD_LOST_THROUGH);
	mark(*state, C, PD_POSSIBLE);
	mark(*state, D, PD_LOST);
	profile_look_over(*state);
	assert_marked(*state, "2:0=1", 2);
}

static void a_block_that_came_or_went_beside_the_look_is_not_meant(void **state)
{
	profile_look(*state, LOOKED_NS);
	/* Seen late: what the copy has there is another one. */
	release_at(*state, A, LOOKED_NS - 1);
	event(*state,
	      (struct alloc_event){
		      .kind = AE_ALLOC, .ptr = 0x1090, .size = 8, .time_ns = LOOKED_NS + 1},
	      2);
	release_at(*state, 0x1090, LOOKED_NS + 2);
	profile_looked(*state, &looked);
	mark(*state, A, PD_LOST);
	mark(*state, 0x1090, PD_LOST);
	assert_marked(*state, "", 0);
}

/* The memory could not be walked at its first stop. */
static void what_was_freed_before_the_program_was_stopped_again_is_not_meant(void **state)
{
	profile_look(*state, LOOKED_NS - 9);
	release_at(*state, A, LOOKED_NS - 8);
	event(*state,
	      (struct alloc_event){.kind = AE_ALLOC, .ptr = A, .size = 8, .time_ns = LOOKED_NS - 7},
	      2);
	profile_look(*state, LOOKED_NS);
	profile_looked(*state, &looked);
	mark(*state, A, PD_LOST);
	assert_marked(*state, "2:0=1", 0);
}

static void a_new_look_forgets_the_last_one(void **state)
{
	mark(*state, A, PD_LOST);
	profile_looked(*state, &looked);
	mark(*state, B, PD_LOST);
	assert_marked(*state, "1:0=1", 0);
}

/* Leaves are renumbered then: those without a request are dropped. */
static void what_is_finished_says_the_same(void **state)
{
	struct profile *p = *state;

	profile_restart(p);
	request(p, C, 2);
	request(p, D, 2);
	profile_looked(p, &looked);
	mark(p, C, PD_LOST);
	mark(p, D, PD_REACHABLE);
	assert_marked(p, "2:0=1 2:3=1", 0);
	assert_int_equal(profile_finish(p), 0);
	assert_int_equal(p->n_leaves, 1);
	assert_marked(p, "2:0=1 2:3=1", 0);
}

static void a_parents_blocks_have_no_path_in_a_child(void **state)
{
	struct profile *child = profile_fork(*state);

	assert_non_null(child);
	profile_looked(child, &looked);
	mark(child, A, PD_LOST);
	mark(child, B, PD_LOST_THROUGH);
	mark(child, C, PD_POSSIBLE);
	mark(child, D, PD_REACHABLE);
	assert_marked(child, "", 0);
	assert_int_equal(child->marks.reach.inherited, 2);
	profile_free(child);
	/* Nor what was said of them in the parent. */
	mark(*state, B, PD_REACHABLE);
	child = profile_fork(*state);
	assert_non_null(child);
	profile_looked(child, &looked);
	assert_marked(child, "", 0);
	profile_free(child);
}

static void a_block_is_known_from_then_on_or_from_before(void **state)
{
	struct profile *p = *state, *child = profile_fork(p);

	assert_non_null(child);
	assert_non_null(profile_block_since(p, A, LOOKED_NS));
	assert_false(profile_had_before(p, A));
	assert_null(profile_block_since(p, 0x2000, LOOKED_NS));
	assert_false(profile_had_before(p, 0x2000));
	release(p, B);
	event(p,
	      (struct alloc_event){.kind = AE_ALLOC, .ptr = B, .size = 8, .time_ns = LOOKED_NS + 1},
	      2);
	assert_null(profile_block_since(p, B, LOOKED_NS));
	assert_non_null(profile_block_since(p, B, LOOKED_NS + 1));
	assert_false(profile_had_before(p, B));
	/* A parent's. */
	assert_null(profile_block_since(child, A, LOOKED_NS));
	assert_true(profile_had_before(child, A));
	release(child, A);
	assert_false(profile_had_before(child, A));
	profile_free(child);
}

static void what_was_found_before_is_so_until_it_is_freed(void **state)
{
	struct profile *p = *state;
	struct before b = {0};
	struct before_block *blocks = calloc(1, sizeof *blocks);

	assert_non_null(blocks);
	blocks[0] = (struct before_block){0x2010, 24};
	assert_int_equal(before_set(&b, blocks, 1), 0);
	profile_set_before(p, &b);
	assert_true(profile_had_before(p, 0x2010));
	assert_null(profile_block_since(p, 0x2010, LOOKED_NS));
	release(p, 0x2010);
	assert_false(profile_had_before(p, 0x2010));
}

static void what_was_there_before_a_break_may_be_another_block_by_now(void **state)
{
	struct profile *p = *state, *child;

	profile_seen_from_now(p, LOOKED_NS); /* as it was */
	assert_non_null(profile_block_since(p, A, LOOKED_NS));
	profile_unseen_from_now(p);
	mark(p, A, PD_LOST);
	profile_seen_from_now(p, LOOKED_NS - 1);
	mark(p, B, PD_LOST);
	release(p, C);
	event(p,
	      (struct alloc_event){.kind = AE_ALLOC, .ptr = C, .size = 8, .time_ns = LOOKED_NS - 1},
	      2);
	mark(p, C, PD_LOST);
	assert_marked(p, "2:0=1", 0);
	child = profile_fork(p);
	assert_non_null(child);
	assert_false(profile_had_before(child, A));
	profile_free(child);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, four_blocks, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(blocks_are_counted_by_leaf_and_class),
		TEST(what_is_reachable_was_seen_and_what_was_not_seen_is_not),
		TEST(what_hangs_on_lost_blocks_is_counted_with_these),
		TEST(of_a_block_that_was_not_counted_nothing_is_kept),
		TEST(a_block_that_is_freed_later_was_not_lost),
		TEST(another_block_at_its_address_is_another_one),
		TEST(a_block_that_is_newer_than_the_look_was_not_seen),
		TEST(a_block_that_is_freed_before_it_can_be_marked_was_not_lost),
		TEST(a_block_that_came_or_went_beside_the_look_is_not_meant),
		TEST(what_was_freed_before_the_program_was_stopped_again_is_not_meant),
		TEST(a_new_look_forgets_the_last_one),
		TEST(what_is_finished_says_the_same),
		TEST(a_parents_blocks_have_no_path_in_a_child),
		TEST(a_block_is_known_from_then_on_or_from_before),
		TEST(what_was_found_before_is_so_until_it_is_freed),
		TEST(what_was_there_before_a_break_may_be_another_block_by_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
