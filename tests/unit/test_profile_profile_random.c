/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A million random events, the same ones in every run, through a profile and through a model that
 * is simple enough to be obviously right: an array with an element for each address and one for
 * each chain and size.
 */
#include "unit/unit.h"
#include "lib/random.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum {
	N_EVENTS = 1000000,
	N_BLOCKS = 512,
	N_CHAINS = 400,
	N_PLACES = 12,
	N_TASKS = 5,
	N_SIZES = 7,
	DEEPEST = 15,
};

static const uint64_t sizes[N_SIZES] = { 0, 1, 24, 100, 4096, 1ull << 20, 5ull << 32 };

struct chain {
	uint8_t sites[DEEPEST];	/* outermost first */
	uint32_t n;
	bool truncated;
};

struct block {
	bool live;
	uint32_t chain, size;	/* which */
};

struct model {
	struct chain chains[N_CHAINS];
	struct { uint64_t allocs, frees; } counts[N_CHAINS][N_SIZES];
	uint64_t resumed[N_CHAINS][DEEPEST + 1];	/* of the node so deep in that chain */
	struct block blocks[N_BLOCKS];
	struct { bool busy; uint32_t at; struct block was; } tasks[N_TASKS];
	const struct chain *last;
	struct pd_totals totals;
	uint64_t live;
};

static bool same_chain(const struct chain *a, const struct chain *b)
{
	return a->n == b->n && a->truncated == b->truncated && !memcmp(a->sites, b->sites, a->n);
}

static struct chain random_chain(const struct model *m, uint32_t n)
{
	struct chain c = { .truncated = random_below(10) == 0 };

	/* Most chains begin as another one does. */
	if (n && random_below(4))
		c = m->chains[random_below(n)];
	c.n = random_below(c.n + 1);
	for (uint32_t more = random_below(4); more && c.n < DEEPEST; more--)
		c.sites[c.n++] = (uint8_t)random_below(N_PLACES);
	return c;
}

static void make_chains(struct model *m)
{
	for (uint32_t n = 0; n < N_CHAINS;) {
		struct chain c = random_chain(m, n);
		uint32_t i = 0;

		while (i < n && !same_chain(&m->chains[i], &c))
			i++;
		if (i == n)
			m->chains[n++] = c;
	}
}

/* ---- the model ---- */

static void model_free(struct model *m, const struct block *b)
{
	if (!b->live) {
		m->totals.unknown_frees++;
		return;
	}
	m->counts[b->chain][b->size].frees++;
	m->totals.frees++;
	m->totals.free_bytes += sizes[b->size];
	m->live -= sizes[b->size];
}

static void model_resume(struct model *m, const struct chain *c)
{
	const struct chain *was = m->last;
	uint32_t same = 0;

	m->last = c;
	if (!was || was->truncated != c->truncated)
		return;
	while (same + 1 < c->n && same + 1 < was->n && c->sites[same] == was->sites[same])
		same++;
	for (uint32_t i = 0; same && i < N_CHAINS; i++)
		if (m->chains[i].n >= same && m->chains[i].truncated == c->truncated &&
		    !memcmp(m->chains[i].sites, c->sites, same))
			m->resumed[i][same]++;
}

static void model_alloc(struct model *m, uint32_t at, uint32_t chain, uint32_t size)
{
	if (m->blocks[at].live)
		model_free(m, &m->blocks[at]);
	m->blocks[at] = (struct block){ true, chain, size };
	m->counts[chain][size].allocs++;
	m->totals.allocs++;
	m->totals.alloc_bytes += sizes[size];
	m->totals.truncated_chains += m->chains[chain].truncated;
	m->live += sizes[size];
	if (m->live > m->totals.peak_bytes)
		m->totals.peak_bytes = m->live;
	model_resume(m, &m->chains[chain]);
}

/* ---- both at once ---- */

static taddr address(uint32_t at)
{
	return 0x10000u + 16u * at;
}

/* How chains are told: by their frames, by a node that is grown beforehand, or now so, now so. */
enum telling { BY_FRAMES, BY_NODE, BY_EITHER };
static enum telling telling;

static void tell(struct profile *p, struct alloc_event e, const struct chain *c)
{
	static unsigned events;
	uint32_t frames[DEEPEST], node = c && c->truncated ? PD_ROOT_TRUNCATED : PD_ROOT_WHOLE;
	bool by_node = telling == BY_NODE || (telling == BY_EITHER && ++events % 3);

	for (uint32_t i = 0; c && i < c->n; i++) {
		struct profile_place place = { .address = c->sites[c->n - 1 - i], .module = 3 };

		frames[i] = profile_frame(p, &place);
	}
	for (uint32_t i = c ? c->n : 0; by_node && i-- > 0;)
		node = profile_node_below(p, node, frames[i]);
	if (c)
		e.chain = (struct alloc_chain){ .truncated = c->truncated ? CHAIN_NO_CFI
						: CHAIN_WHOLE };
	if (c && by_node) {
		e.chain.node = node;
	} else if (c) {
		e.chain.frames = frames;
		e.chain.n = c->n;
	}
	assert_int_equal(profile_event(p, &e, &(struct block_change){ 0 }), 0);
}

static void do_alloc(struct model *m, struct profile *p)
{
	uint32_t at = random_below(N_BLOCKS), chain = random_below(N_CHAINS),
		 size = random_below(N_SIZES);

	if (m->blocks[at].live && random_below(20)) /* an address is rarely handed out twice */
		return;
	tell(p, (struct alloc_event){ .kind = AE_ALLOC, .ptr = address(at), .size = sizes[size] },
	     &m->chains[chain]);
	model_alloc(m, at, chain, size);
}

static void do_free(struct model *m, struct profile *p)
{
	uint32_t at = random_below(N_BLOCKS);
	bool by_allocator = random_below(8) == 0;

	if (!m->blocks[at].live && random_below(4))
		return;
	tell(p, (struct alloc_event){ .kind = AE_FREE, .ptr = address(at),
				      .by_allocator = by_allocator },
	     NULL);
	if (m->blocks[at].live || !by_allocator)
		model_free(m, &m->blocks[at]);
	m->blocks[at].live = false;
}

static void do_realloc_begin(struct model *m, struct profile *p, uint32_t task)
{
	uint32_t at = random_below(N_BLOCKS);

	tell(p, (struct alloc_event){ .kind = AE_REALLOC_BEGIN, .task = (int32_t)task,
				      .old_ptr = address(at) }, NULL);
	m->tasks[task].busy = true;
	m->tasks[task].at = at;
	m->tasks[task].was = m->blocks[at];
	m->blocks[at].live = false;
}

static void do_realloc_end(struct model *m, struct profile *p, uint32_t task)
{
	static const enum alloc_event_kind kinds[] = { AE_REALLOC_MOVED, AE_REALLOC_MOVED,
						       AE_REALLOC_FREED, AE_REALLOC_BACK };
	uint32_t old = m->tasks[task].at, at = random_below(2) ? old : random_below(N_BLOCKS);
	uint32_t chain = random_below(N_CHAINS), size = random_below(N_SIZES);
	struct block was = m->tasks[task].was;
	struct alloc_event e = { .kind = kinds[random_below(4)], .task = (int32_t)task,
				 .ptr = address(at),
				 .old_ptr = address(old), .size = sizes[size] };

	m->tasks[task].busy = false;
	tell(p, e, &m->chains[chain]);
	if (e.kind == AE_REALLOC_BACK && !m->blocks[old].live)
		m->blocks[old] = was;
	else if (e.kind != AE_REALLOC_BACK || was.live)
		model_free(m, &was);
	if (e.kind == AE_REALLOC_MOVED)
		model_alloc(m, at, chain, size);
}

static void do_something(struct model *m, struct profile *p)
{
	uint32_t what = random_below(100), task = random_below(N_TASKS);

	if (what < 45) {
		do_alloc(m, p);
	} else if (what < 75) {
		do_free(m, p);
	} else if (what < 99) {
		if (m->tasks[task].busy)
			do_realloc_end(m, p, task);
		else
			do_realloc_begin(m, p, task);
	} else {
		tell(p, (struct alloc_event){ .kind = AE_FAILED }, NULL);
		m->totals.failed_allocs++;
	}
}

/* ---- comparing ---- */

static uint32_t child(const struct profile *p, uint32_t parent, uint64_t address)
{
	for (uint32_t i = PD_FIRST_NODE; i < p->n_nodes; i++)
		if (p->nodes[i].parent == parent && p->places[p->nodes[i].frame].address == address)
			return i;
	return PD_NONE;
}

static void compare_leaves(const struct model *m, const struct profile *p, uint32_t chain,
			   uint32_t node)
{
	for (uint32_t size = 0; size < N_SIZES; size++) {
		uint64_t allocs = 0, frees = 0;

		for (size_t i = 0; node != PD_NONE && i < p->n_leaves; i++) {
			if (p->leaves[i].node == node && p->leaves[i].size == sizes[size]) {
				allocs += p->leaves[i].allocs;
				frees += p->leaves[i].frees;
			}
		}
		assert_int_equal(allocs, m->counts[chain][size].allocs);
		assert_int_equal(frees, m->counts[chain][size].frees);
	}
}

static void compare_chain(const struct model *m, const struct profile *p, uint32_t chain)
{
	const struct chain *c = &m->chains[chain];
	uint32_t node = c->truncated ? PD_ROOT_TRUNCATED : PD_ROOT_WHOLE;

	for (uint32_t depth = 1; depth <= c->n && node != PD_NONE; depth++) {
		node = child(p, node, c->sites[depth - 1]);
		assert_int_equal(node == PD_NONE ? 0 : p->nodes[node].resumed,
				 m->resumed[chain][depth]);
	}
	compare_leaves(m, p, chain, node);
}

static void compare(const struct model *m, const struct profile *p)
{
	const struct pd_totals *a = &p->totals, *b = &m->totals;

	assert_int_equal(a->allocs, b->allocs);
	assert_int_equal(a->alloc_bytes, b->alloc_bytes);
	assert_int_equal(a->frees, b->frees);
	assert_int_equal(a->free_bytes, b->free_bytes);
	assert_int_equal(a->peak_bytes, b->peak_bytes);
	assert_int_equal(a->failed_allocs, b->failed_allocs);
	assert_int_equal(a->unknown_frees, b->unknown_frees);
	assert_int_equal(a->truncated_chains, b->truncated_chains);
	assert_int_equal(a->inherited_frees, 0);
	assert_int_equal(p->live_bytes, m->live);
	for (uint32_t i = 0; i < N_CHAINS; i++)
		compare_chain(m, p, i);
}

static void count_a_million_told(enum telling how)
{
	struct model *m = calloc(1, sizeof *m);
	struct profile *p = profile_new();

	telling = how;
	assert_non_null(m);
	assert_non_null(p);
	random_state = 31;
	make_chains(m);
	for (uint32_t i = 0; i < N_EVENTS; i++) {
		do_something(m, p);
		if (i % 100000 == 100)
			compare(m, p);
	}
	compare(m, p);
	/* Each kind of event came often. */
	assert_true(m->totals.allocs > N_EVENTS / 8 && m->totals.frees > N_EVENTS / 8);
	assert_true(m->totals.unknown_frees > 1000 && m->totals.failed_allocs > 1000);
	assert_true(m->totals.truncated_chains > 1000);
	profile_free(p);
	free(m);
}

static void a_million_random_events_are_counted_as_a_simple_model_counts_them(void **state)
{
	(void)state;
	count_a_million_told(BY_FRAMES);
}

static void an_engine_may_tell_the_node_of_a_chain_instead_of_its_frames(void **state)
{
	(void)state;
	count_a_million_told(BY_NODE);
}

static void nodes_and_frames_may_be_told_in_turns(void **state)
{
	(void)state;
	count_a_million_told(BY_EITHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_million_random_events_are_counted_as_a_simple_model_counts_them),
		cmocka_unit_test(an_engine_may_tell_the_node_of_a_chain_instead_of_its_frames),
		cmocka_unit_test(nodes_and_frames_may_be_told_in_turns),
	};

	return cmocka_run_group_tests_name("profile_random", tests, NULL, NULL);
}
