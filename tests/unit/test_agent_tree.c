/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree while several threads add to it. */
#include "unit/unit.h"

#include "unit/agent_fixture.h"

enum { THREADS = 8, CHAINS = 4000, DEPTH = 12 };

struct grower {
	struct agent_shared *s;
	uint32_t *leaf; /* of each chain */
	uint32_t *ready;
	uint32_t index;
};

/* The pc of a chain at a depth: chains share their outer ends. */
static uint64_t pc_of(uint32_t chain, int depth)
{
	return UINT64_C(0x400000) + (uint64_t)depth * 4096 + (chain >> (DEPTH - depth));
}

/* The same by keys. */
static uint32_t grow_by_keys(struct agent_shared *s, uint32_t chain)
{
	uint32_t node = agent_node_below(s, 0, ROOT_WHOLE, 0);
	uint64_t keys[DEPTH];

	for (int d = 1; d <= DEPTH; d++)
		keys[d - 1] = agent_node_key(d > 1 ? keys[d - 2] : node, pc_of(chain, d));
	agent_nodes_expect(s, keys, DEPTH);
	for (int d = 1; d <= DEPTH; d++)
		node = agent_node_recent(s, keys[d - 1], node, pc_of(chain, d), 0);
	return node;
}

static uint32_t grow(struct agent_shared *s, uint32_t chain)
{
	uint32_t node = agent_node_below(s, 0, ROOT_WHOLE, 0);

	for (int d = 1; d <= DEPTH; d++)
		node = agent_node_below(s, node, pc_of(chain, d), 0);
	return node;
}

static void *grow_all(void *arg)
{
	struct grower *g = arg;

	__atomic_fetch_add(g->ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(g->ready, __ATOMIC_SEQ_CST) < THREADS)
		;
	for (uint32_t c = 0; c < CHAINS; c++)
		g->leaf[c] = g->index % 2 ? grow(g->s, c) : grow_by_keys(g->s, c);
	return NULL;
}

static void assert_is_chain(const struct agent_shared *s, uint32_t node, uint32_t chain)
{
	for (int d = DEPTH; d; d--) {
		assert_int_equal(s->nodes[node].pc, pc_of(chain, d));
		assert_true(s->nodes[node].parent < node);
		node = s->nodes[node].parent;
	}
	assert_int_equal(s->nodes[node].pc, ROOT_WHOLE);
	assert_int_equal(s->nodes[node].parent, 0);
}

static uint32_t in_index(const struct agent_shared *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < AGENT_NODE_SLOTS; i++)
		n += s->node_index[i] != 0;
	return n;
}

static uint32_t different_nodes(void)
{
	uint32_t n = 1;

	for (int d = 1; d <= DEPTH; d++)
		n += ((CHAINS - 1) >> (DEPTH - d)) + 1;
	return n;
}

/* Returns how many nodes were written that nobody uses. */
static uint32_t grow_at_the_same_time(void)
{
	struct agent_shared *s = new_shared();
	static uint32_t leaf[THREADS][CHAINS];
	struct grower g[THREADS];
	pthread_t t[THREADS];
	uint32_t ready = 0, unused;

	for (uint32_t i = 0; i < THREADS; i++) {
		g[i] = (struct grower){ s, leaf[i], &ready, i };
		assert_int_equal(pthread_create(&t[i], NULL, grow_all, &g[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (uint32_t c = 0; c < CHAINS; c++) {
		assert_is_chain(s, leaf[0][c], c);
		for (int i = 1; i < THREADS; i++)
			assert_int_equal(leaf[i][c], leaf[0][c]);
	}
	assert_int_equal(in_index(s), different_nodes());
	assert_true(s->n_nodes >= different_nodes());
	unused = s->n_nodes - different_nodes();
	free_shared(s);
	return unused;
}

static void threads_that_grow_the_same_chains_get_the_same_nodes(void **state)
{
	uint32_t unused = 0;

	(void)state;
	for (int i = 0; i < 30; i++)
		unused += grow_at_the_same_time();
	print_message("# %u nodes were written by who came too late\n", unused);
}

static void a_full_table_still_knows_what_is_in_it(void **state)
{
	struct agent_shared *s = new_shared();
	uint32_t a = grow(s, 5);

	(void)state;
	s->n_nodes = AGENT_NODES - 1;
	assert_int_equal(grow(s, 5), a);
	assert_int_equal(agent_node_below(s, a, 0x1234, 0), 0);
	s->n_nodes = AGENT_NODES - 2;
	assert_int_equal(agent_node_below(s, a, 0x1234, 0), AGENT_NODES - 1);
	assert_int_equal(agent_node_below(s, a, 0x1235, 0), 0);
	free_shared(s);
}

static void nodes_differ_by_parent_pc_and_of_roots_the_epoch(void **state)
{
	struct agent_shared *s = new_shared();
	uint32_t root = agent_node_below(s, 0, ROOT_WHOLE, 1), a = agent_node_below(s, root, 7, 1);

	(void)state;
	assert_int_not_equal(agent_node_below(s, 0, ROOT_WHOLE, 2), root);
	assert_int_not_equal(agent_node_below(s, 0, ROOT_TOO_DEEP, 1), root);
	assert_int_equal(agent_node_below(s, 0, ROOT_WHOLE, 1), root);
	assert_int_not_equal(agent_node_below(s, a, 7, 1), a);
	assert_int_not_equal(agent_node_below(s, root, 7 | NODE_EXACT, 1), a);
	assert_int_equal(agent_node_below(s, root, 7, 2), a);
	free_shared(s);
}

/* The index has only a part of the hash, so it may lead to another node. */
static void a_node_is_compared_whole(void **state)
{
	struct agent_shared *s = new_shared();
	uint32_t whole = agent_node_below(s, 0, ROOT_WHOLE, 0);
	uint32_t other = agent_node_below(s, 0, ROOT_TOO_DEEP, 0);
	uint32_t a = agent_node_below(s, whole, 7, 0), b = agent_node_below(s, other, 7, 0);

	(void)state;
	for (uint32_t i = 0; i < AGENT_NODE_SLOTS; i++)
		if ((uint32_t)s->node_index[i] == a)
			s->node_index[i] += b - a;
	assert_int_not_equal(agent_node_below(s, whole, 7, 0), b);
	assert_int_equal(agent_node_below(s, other, 7, 0), b);
	free_shared(s);
}

/* Whatever the cache has, the node is compared with what is searched. */
static void what_was_found_last_is_no_other_node(void **state)
{
	struct agent_shared *s = new_shared();
	uint32_t leaf[64];

	(void)state;
	for (uint32_t c = 0; c < 64; c++)
		leaf[c] = grow_by_keys(s, c);
	for (uint32_t n = 1; n <= s->n_nodes; n += 7) {
		for (uint32_t i = 0; i < AGENT_RECENT_SLOTS; i++)
			if (s->recent[i])
				s->recent[i] = s->recent[i] >> 32 << 32 | (n + i % 3);
		for (uint32_t c = 0; c < 64; c++)
			assert_int_equal(grow_by_keys(s, c), leaf[c]);
	}
	memset(s->recent, 0xff, sizeof s->recent);
	for (uint32_t c = 0; c < 64; c++)
		assert_int_equal(grow_by_keys(s, c), leaf[c]);
	free_shared(s);
}

static void a_damaged_index_does_not_keep_a_thread_for_ever(void **state)
{
	struct agent_shared *s = new_shared();

	(void)state;
	memset(s->node_index, 0xff, sizeof s->node_index);
	assert_int_equal(agent_node_below(s, 0, ROOT_WHOLE, 0), 0);
	free_shared(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_grow_the_same_chains_get_the_same_nodes),
		cmocka_unit_test(a_full_table_still_knows_what_is_in_it),
		cmocka_unit_test(nodes_differ_by_parent_pc_and_of_roots_the_epoch),
		cmocka_unit_test(a_node_is_compared_whole),
		cmocka_unit_test(what_was_found_last_is_no_other_node),
		cmocka_unit_test(a_damaged_index_does_not_keep_a_thread_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
