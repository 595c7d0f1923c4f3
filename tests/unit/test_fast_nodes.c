/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "fast/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { WHOLE = 100, TRUNCATED = 101, FIRST_NODE = 1000 };

/* A profile's call tree: a place is its pc, a node the next number. */
struct tree {
	struct agent_shared *s;
	struct nodes *nodes;
	struct {
		uint32_t parent, place;
	} told[64];
	uint32_t n, places;
	bool exact, guessed;
	uint32_t places_left, nodes_left;
	unsigned depth;
};

/* Places from 0x8000 on are the allocator's. */
static uint32_t place(void *ctx, taddr pc, bool exact, bool guessed, bool *hidden)
{
	struct tree *t = ctx;

	if (!t->places_left)
		return UINT32_MAX;
	t->places_left--;
	t->places++;
	t->exact = exact;
	t->guessed = guessed;
	*hidden = pc >= 0x8000;
	return (uint32_t)pc;
}

static uint32_t node(void *ctx, uint32_t parent, uint32_t p)
{
	struct tree *t = ctx;

	if (!t->nodes_left)
		return UINT32_MAX;
	t->nodes_left--;
	t->told[t->n].parent = parent;
	t->told[t->n].place = p;
	return FIRST_NODE + t->n++;
}

static unsigned depth(void *ctx)
{
	return ((const struct tree *)ctx)->depth;
}

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof *t);
	struct nodes_host host = { place, node, WHOLE, TRUNCATED, t, depth };

	assert_non_null(t);
	t->s = mmap(NULL, sizeof *t->s, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(t->s, MAP_FAILED);
	t->nodes = nodes_new(t->s, &host);
	assert_non_null(t->nodes);
	t->places_left = t->nodes_left = UINT32_MAX;
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	nodes_free(t->nodes);
	munmap(t->s, sizeof *t->s);
	free(t);
	return 0;
}

static void add(struct tree *t, uint64_t pc, uint32_t parent)
{
	t->s->nodes[++t->s->n_nodes] = (struct agent_node){ .pc = pc, .parent = parent };
}

static void assert_found(struct tree *t, uint32_t agent_node, uint32_t expected, enum chain_end end)
{
	uint32_t found;
	enum chain_end how;

	assert_int_equal(nodes_find(t->nodes, agent_node, &found, &how), 0);
	assert_int_equal(found, expected);
	assert_int_equal(how, end);
}

static void assert_wrong(struct tree *t, uint32_t agent_node, int err)
{
	uint32_t found;
	enum chain_end how;

	assert_int_equal(nodes_find(t->nodes, agent_node, &found, &how), err);
}

static void a_chain_is_told_once_parents_first(void **state)
{
	struct tree *t = *state;

	add(t, ROOT_WHOLE, 0);
	add(t, 0x10, 1);
	add(t, 0x20, 2);
	add(t, 0x30, 2);
	assert_found(t, 3, FIRST_NODE + 1, CHAIN_WHOLE);
	assert_int_equal(t->told[0].parent, WHOLE);
	assert_int_equal(t->told[0].place, 0x10);
	assert_int_equal(t->told[1].parent, FIRST_NODE);
	assert_found(t, 4, FIRST_NODE + 2, CHAIN_WHOLE);
	assert_int_equal(t->told[2].parent, FIRST_NODE);
	assert_found(t, 3, FIRST_NODE + 1, CHAIN_WHOLE);
	assert_found(t, 2, FIRST_NODE, CHAIN_WHOLE);
	assert_found(t, 1, WHOLE, CHAIN_WHOLE);
	assert_int_equal(t->n, 3);
	assert_int_equal(t->places, 3);
}

static void roots_say_how_chains_end(void **state)
{
	struct tree *t = *state;

	add(t, ROOT_NO_CFI, 0);
	add(t, ROOT_UNREADABLE, 0);
	add(t, ROOT_TOO_DEEP, 0);
	add(t, 0x10, 1);
	add(t, 0x10, 2);
	add(t, 0x10, 3);
	assert_found(t, 4, FIRST_NODE, CHAIN_NO_CFI);
	assert_found(t, 5, FIRST_NODE + 1, CHAIN_UNREADABLE);
	assert_found(t, 6, FIRST_NODE + 2, CHAIN_TOO_DEEP);
	assert_int_equal(t->told[2].parent, TRUNCATED);
}

static void a_chain_of_more_frames_than_are_kept_hangs_at_the_root_of_truncated_ones(void **state)
{
	struct tree *t = *state;

	add(t, ROOT_WHOLE, 0);
	for (uint64_t i = 1; i <= 5; i++)
		add(t, 0x10 * i, (uint32_t)i);
	assert_found(t, 3, FIRST_NODE + 1, CHAIN_WHOLE);
	t->depth = 2;
	/* Known by now, as it was told; and no longer than that. */
	assert_found(t, 3, FIRST_NODE + 1, CHAIN_WHOLE);
	assert_found(t, 2, FIRST_NODE, CHAIN_WHOLE);
	assert_found(t, 6, FIRST_NODE + 3, CHAIN_CUT);
	assert_int_equal(t->told[2].parent, TRUNCATED);
	assert_int_equal(t->told[2].place, 0x40);
	assert_int_equal(t->told[3].parent, FIRST_NODE + 2);
	assert_int_equal(t->told[3].place, 0x50);
	/* Its parent was not told on the way, and its children are not told by it. */
	assert_found(t, 5, FIRST_NODE + 5, CHAIN_CUT);
	assert_int_equal(t->told[4].place, 0x30);
	t->depth = 1;
	add(t, 0x8000, 6);
	add(t, 0x60, 6);
	assert_found(t, 7, FIRST_NODE + 6, CHAIN_CUT);
	/* What is hidden at the inner end does not count. */
	assert_int_equal(t->told[6].place, 0x50);
	assert_found(t, 8, FIRST_NODE + 7, CHAIN_CUT);
	assert_int_equal(t->told[7].parent, TRUNCATED);
	assert_int_equal(t->told[7].place, 0x60);
	t->nodes_left = 0;
	add(t, 0x70, 6);
	assert_wrong(t, 9, -ENOMEM);
	t->nodes_left = 1;
	assert_found(t, 9, FIRST_NODE + 8, CHAIN_CUT);
}

static void how_a_pc_was_found_is_told(void **state)
{
	struct tree *t = *state;

	add(t, ROOT_WHOLE, 0);
	add(t, 0x10 | NODE_EXACT, 1);
	add(t, 0x10 | NODE_GUESSED, 1);
	assert_found(t, 2, FIRST_NODE, CHAIN_WHOLE);
	assert_true(t->exact && !t->guessed);
	assert_int_equal(t->told[0].place, 0x10);
	assert_found(t, 3, FIRST_NODE + 1, CHAIN_WHOLE);
	assert_true(!t->exact && t->guessed);
}

/* main -> allocator -> allocator: such a chain is main's. main -> allocator -> callback -> ...:
 * is not. */
static void places_of_the_allocator_are_hidden_at_the_inner_end_only(void **state)
{
	struct tree *t = *state;

	add(t, ROOT_WHOLE, 0);
	add(t, 0x10, 1);
	add(t, 0x8000, 2);
	add(t, 0x8001, 3);
	add(t, 0x20, 4);
	add(t, 0x8002, 1);
	assert_found(t, 4, FIRST_NODE, CHAIN_WHOLE);
	assert_found(t, 3, FIRST_NODE, CHAIN_WHOLE);
	assert_found(t, 5, FIRST_NODE + 3, CHAIN_WHOLE);
	assert_int_equal(t->told[3].parent, FIRST_NODE + 2);
	assert_int_equal(t->told[2].parent, FIRST_NODE + 1);
	assert_int_equal(t->told[2].place, 0x8001);
	assert_found(t, 6, WHOLE, CHAIN_WHOLE);
}

static void nodes_that_cannot_be_are_none(void **state)
{
	struct tree *t = *state;

	add(t, ROOT_WHOLE, 0);
	add(t, 0x10, 2);	  /* its own parent */
	add(t, 0x10, 4);	  /* a later one's child */
	add(t, 0x10, 3);	  /* of which the former is the child: a circle */
	add(t, AGENT_ROOTS, 0);	  /* no such root */
	add(t, 0, 0);
	add(t, 0x10, UINT32_MAX);
	assert_wrong(t, 0, -EINVAL);
	for (uint32_t i = 2; i <= 9; i++)
		assert_wrong(t, i, -EINVAL);
	assert_wrong(t, AGENT_NODES, -EINVAL);
	assert_wrong(t, UINT32_MAX, -EINVAL);
	/* More than there can be. */
	t->s->n_nodes = UINT32_MAX;
	assert_wrong(t, AGENT_NODES, -EINVAL);
	assert_int_equal(t->n, 0);
}

static void without_memory_nothing_is_remembered(void **state)
{
	struct tree *t = *state;

	add(t, ROOT_WHOLE, 0);
	add(t, 0x10, 1);
	add(t, 0x20, 2);
	t->places_left = 1;
	assert_wrong(t, 3, -ENOMEM);
	t->places_left = 10;
	t->nodes_left = 0;
	assert_wrong(t, 3, -ENOMEM);
	t->nodes_left = 10;
	assert_found(t, 3, FIRST_NODE + 1, CHAIN_WHOLE);
}

static void what_has_been_cleared_is_told_anew(void **state)
{
	struct tree *t = *state;

	add(t, ROOT_WHOLE, 0);
	add(t, 0x10, 1);
	assert_found(t, 2, FIRST_NODE, CHAIN_WHOLE);
	nodes_clear(t->nodes);
	t->s->nodes[2].pc = 0x50;
	assert_found(t, 2, FIRST_NODE + 1, CHAIN_WHOLE);
	assert_int_equal(t->told[1].place, 0x50);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_chain_is_told_once_parents_first),
		TEST(roots_say_how_chains_end),
		TEST(a_chain_of_more_frames_than_are_kept_hangs_at_the_root_of_truncated_ones),
		TEST(how_a_pc_was_found_is_told),
		TEST(places_of_the_allocator_are_hidden_at_the_inner_end_only),
		TEST(nodes_that_cannot_be_are_none),
		TEST(without_memory_nothing_is_remembered),
		TEST(what_has_been_cleared_is_told_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
