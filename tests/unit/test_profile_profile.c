/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events by hand, and how they count. A chain is a string, outermost first, in which each letter
 * is a call site; a truncated one begins with a dot: ".ab".
 */
#include "unit/unit.h"
#include "profile/profile.h"
#include "naming/resolve.h"

#include <stdlib.h>
#include <string.h>

#define A 0x1000u
#define B 0x2000u
#define C 0x3000u

static int profile_setup(void **state)
{
	*state = profile_new();
	return *state ? 0 : -1;
}

static int profile_teardown(void **state)
{
	profile_free(*state);
	return 0;
}

static struct block_change changed; /* by the last event */

static void event(struct profile *p, struct alloc_event e, const char *chain)
{
	uint32_t frames[64];

	if (*chain == '.') {
		e.chain.truncated = CHAIN_UNREADABLE;
		chain++;
	}
	e.chain.n = strlen(chain);
	e.chain.frames = frames;
	for (size_t i = 0; i < e.chain.n; i++) {
		struct profile_place place = { .address = (uint64_t)chain[e.chain.n - 1 - i] };

		frames[i] = profile_frame(p, &place);
		assert_int_not_equal(frames[i], IDINDEX_NONE);
	}
	assert_int_equal(profile_event(p, &e, &changed), 0);
}

static void request(struct profile *p, taddr ptr, uint64_t size, const char *chain)
{
	event(p, (struct alloc_event){ .kind = AE_ALLOC, .ptr = ptr, .size = size }, chain);
}

static void release(struct profile *p, taddr ptr)
{
	event(p, (struct alloc_event){ .kind = AE_FREE, .ptr = ptr }, "");
}

static void begin(struct profile *p, int task, taddr old)
{
	event(p, (struct alloc_event){ .kind = AE_REALLOC_BEGIN, .task = task, .old_ptr = old },
	      "");
}

static void end(struct profile *p, int task, enum alloc_event_kind kind, taddr old)
{
	event(p, (struct alloc_event){ .kind = kind, .task = task, .old_ptr = old }, "");
}

static void moved(struct profile *p, int task, taddr old, taddr ptr, uint64_t size,
		  const char *chain)
{
	event(p, (struct alloc_event){ .kind = AE_REALLOC_MOVED, .task = task, .old_ptr = old,
				       .ptr = ptr,
				       .size = size }, chain);
}

/* ---- looking at the outcome ---- */

static uint32_t child(const struct profile *p, uint32_t parent, char site)
{
	for (uint32_t i = PD_FIRST_NODE; i < p->n_nodes; i++)
		if (p->nodes[i].parent == parent &&
		    p->places[p->nodes[i].frame].address == (uint64_t)site)
			return i;
	return PD_NONE;
}

static uint32_t node(const struct profile *p, const char *chain)
{
	uint32_t n = *chain == '.' ? PD_ROOT_TRUNCATED : PD_ROOT_WHOLE;

	for (chain += *chain == '.'; *chain && n != PD_NONE; chain++)
		n = child(p, n, *chain);
	return n;
}

static void assert_leaf(const struct profile *p, const char *chain, uint64_t size, uint64_t allocs,
			uint64_t frees)
{
	uint32_t n = node(p, chain);
	unsigned found = 0;

	assert_int_not_equal(n, PD_NONE);
	for (size_t i = 0; i < p->n_leaves; i++) {
		if (p->leaves[i].node != n || p->leaves[i].size != size)
			continue;
		assert_int_equal(p->leaves[i].allocs, allocs);
		assert_int_equal(p->leaves[i].frees, frees);
		found++;
	}
	assert_int_equal(found, 1);
}

#define assert_totals(p, ...) assert_totals_are(p, (struct pd_totals){ __VA_ARGS__ })

static void assert_totals_are(const struct profile *p, struct pd_totals want)
{
	const struct pd_totals *t = &p->totals;

	assert_int_equal(t->allocs, want.allocs);
	assert_int_equal(t->alloc_bytes, want.alloc_bytes);
	assert_int_equal(t->frees, want.frees);
	assert_int_equal(t->free_bytes, want.free_bytes);
	assert_int_equal(t->peak_bytes, want.peak_bytes);
	assert_int_equal(t->failed_allocs, want.failed_allocs);
	assert_int_equal(t->unknown_frees, want.unknown_frees);
	assert_int_equal(t->inherited_frees, want.inherited_frees);
	assert_int_equal(t->missed, want.missed);
	assert_int_equal(t->missed_bytes, want.missed_bytes);
	assert_int_equal(t->paused_frees, want.paused_frees);
	assert_int_equal(t->truncated_chains, want.truncated_chains);
	/* Whatever happened: what is live is what is not freed. */
	assert_int_equal(p->live_bytes, want.alloc_bytes - want.free_bytes);
}

/* ---- requests and frees ---- */

static void a_new_profile_has_two_roots_and_nothing_else(void **state)
{
	struct profile *p = *state;

	assert_totals(p, 0);
	assert_int_equal(p->n_nodes, PD_FIRST_NODE);
	assert_int_equal(p->nodes[PD_ROOT_WHOLE].parent, PD_NONE);
	assert_int_equal(p->nodes[PD_ROOT_TRUNCATED].parent, PD_NONE);
	assert_int_equal(p->n_leaves, 0);
	profile_free(NULL);
}

static void a_free_is_charged_to_the_chain_and_size_of_its_request(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "mf");
	request(p, B, 100, "mg");
	request(p, C, 7, "mf");
	release(p, A);
	release(p, C);
	assert_leaf(p, "mf", 100, 1, 1);
	assert_leaf(p, "mg", 100, 1, 0);
	assert_leaf(p, "mf", 7, 1, 1);
	assert_totals(p, .allocs = 3, .alloc_bytes = 207, .frees = 2, .free_bytes = 107,
		      .peak_bytes = 207);
}

static void requests_of_no_bytes_count_like_any_other(void **state)
{
	struct profile *p = *state;

	request(p, A, 0, "m");
	request(p, B, 0, "m");
	release(p, B);
	assert_leaf(p, "m", 0, 2, 1);
	assert_totals(p, .allocs = 2, .frees = 1);
}

static void sizes_and_sums_have_64_bits(void **state)
{
	struct profile *p = *state;
	const uint64_t huge = 5ull << 40;

	for (taddr i = 1; i <= 3; i++)
		request(p, A * i, huge + i, "m");
	release(p, A);
	assert_leaf(p, "m", huge + 1, 1, 1);
	assert_totals(p, .allocs = 3, .alloc_bytes = 3 * huge + 6, .frees = 1,
		      .free_bytes = huge + 1, .peak_bytes = 3 * huge + 6);
}

static void a_failed_call_is_no_request(void **state)
{
	struct profile *p = *state;

	event(p, (struct alloc_event){ .kind = AE_FAILED }, "");
	assert_totals(p, .failed_allocs = 1);
	assert_int_equal(p->n_leaves, 0);
}

static void the_free_of_an_unknown_block_counts_apart_only(void **state)
{
	struct profile *p = *state;

	release(p, A);
	request(p, A, 10, "m");
	release(p, A);
	release(p, A);
	assert_leaf(p, "m", 10, 1, 1);
	assert_totals(p, .allocs = 1, .alloc_bytes = 10, .frees = 1, .free_bytes = 10,
		      .peak_bytes = 10, .unknown_frees = 2);
}

/* At its end a glibc thread frees blocks that the program has freed before. */
static void the_allocators_own_free_counts_only_if_the_block_is_known(void **state)
{
	struct profile *p = *state;

	request(p, A, 10, "m");
	event(p, (struct alloc_event){ .kind = AE_FREE, .ptr = A, .by_allocator = true }, "");
	event(p, (struct alloc_event){ .kind = AE_FREE, .ptr = A, .by_allocator = true }, "");
	assert_totals(p, .allocs = 1, .alloc_bytes = 10, .frees = 1, .free_bytes = 10,
		      .peak_bytes = 10);
}

static void an_address_handed_out_again_shows_a_free_that_was_not_seen(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "mf");
	request(p, A, 30, "mg");
	assert_leaf(p, "mf", 100, 1, 1);
	assert_leaf(p, "mg", 30, 1, 0);
	assert_totals(p, .allocs = 2, .alloc_bytes = 130, .frees = 1, .free_bytes = 100,
		      .peak_bytes = 100);
	release(p, A);
	assert_leaf(p, "mg", 30, 1, 1);
	assert_int_equal(p->totals.unknown_frees, 0);
}

static void the_peak_is_the_most_that_was_ever_live_at_once(void **state)
{
	struct profile *p = *state;

	request(p, A, 60, "m");
	request(p, B, 40, "m");
	assert_int_equal(p->totals.peak_bytes, 100);
	release(p, A);
	request(p, A, 59, "m");
	assert_int_equal(p->totals.peak_bytes, 100);
	request(p, C, 2, "m");
	assert_int_equal(p->totals.peak_bytes, 101);
	release(p, A);
	release(p, B);
	release(p, C);
	assert_totals(p, .allocs = 4, .alloc_bytes = 161, .frees = 4, .free_bytes = 161,
		      .peak_bytes = 101);
}

/* ---- realloc ---- */

static void a_resized_block_is_a_free_and_a_request_wherever_it_ends_up(void **state)
{
	static const taddr ends[] = { A, B };

	for (size_t i = 0; i < 2; i++) {
		struct profile *p = profile_new();

		assert_non_null(p);
		request(p, A, 100, "mf");
		begin(p, 1, A);
		moved(p, 1, A, ends[i], 150, "mg");
		assert_leaf(p, "mf", 100, 1, 1);
		assert_leaf(p, "mg", 150, 1, 0);
		/* Never both at once. */
		assert_totals(p, .allocs = 2, .alloc_bytes = 250, .frees = 1, .free_bytes = 100,
			      .peak_bytes = 150);
		release(p, ends[i]);
		assert_leaf(p, "mg", 150, 1, 1);
		assert_int_equal(p->totals.unknown_frees, 0);
		profile_free(p);
	}
	(void)state;
}

static void a_realloc_that_fails_leaves_its_block_as_it_was(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "mf");
	begin(p, 1, A);
	end(p, 1, AE_REALLOC_BACK, A);
	event(p, (struct alloc_event){ .kind = AE_FAILED, .task = 1 }, "");
	assert_leaf(p, "mf", 100, 1, 0);
	release(p, A);
	assert_leaf(p, "mf", 100, 1, 1);
	assert_totals(p, .allocs = 1, .alloc_bytes = 100, .frees = 1, .free_bytes = 100,
		      .peak_bytes = 100, .failed_allocs = 1);
}

static void a_realloc_to_nothing_is_a_free(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "mf");
	begin(p, 1, A);
	end(p, 1, AE_REALLOC_FREED, A);
	assert_leaf(p, "mf", 100, 1, 1);
	release(p, A);
	assert_totals(p, .allocs = 1, .alloc_bytes = 100, .frees = 1, .free_bytes = 100,
		      .peak_bytes = 100, .unknown_frees = 1);
}

static void a_resized_unknown_block_is_an_unknown_free_and_a_request(void **state)
{
	struct profile *p = *state;

	begin(p, 1, A);
	moved(p, 1, A, B, 150, "mg");
	assert_totals(p, .allocs = 1, .alloc_bytes = 150, .peak_bytes = 150, .unknown_frees = 1);
	begin(p, 1, A);
	end(p, 1, AE_REALLOC_BACK, A);
	assert_int_equal(p->totals.unknown_frees, 1);
	begin(p, 1, A);
	end(p, 1, AE_REALLOC_FREED, A);
	assert_int_equal(p->totals.unknown_frees, 2);
	assert_int_equal(p->live.table.n, 1);
}

/* The session began in the middle of the call. */
static void a_realloc_whose_begin_was_not_seen_is_of_an_unknown_block(void **state)
{
	struct profile *p = *state;

	end(p, 1, AE_REALLOC_BACK, A);
	assert_totals(p, 0);
	moved(p, 1, A, B, 150, "mg");
	assert_totals(p, .allocs = 1, .alloc_bytes = 150, .peak_bytes = 150, .unknown_frees = 1);
}

/* The block is moved, and its old address returned to another thread, before the call returns. */
static void an_address_may_be_handed_out_while_its_realloc_still_runs(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "mf");
	begin(p, 1, A);
	event(p, (struct alloc_event){ .kind = AE_ALLOC, .task = 2, .ptr = A, .size = 5 }, "mt");
	moved(p, 1, A, B, 150, "mg");
	assert_leaf(p, "mf", 100, 1, 1);
	assert_leaf(p, "mt", 5, 1, 0);
	release(p, A);
	assert_leaf(p, "mt", 5, 1, 1);
	release(p, B);
	assert_totals(p, .allocs = 3, .alloc_bytes = 255, .frees = 3, .free_bytes = 255,
		      .peak_bytes = 155);
}

/* The same, but the call never returns: its thread was cancelled, or it jumped out of a handler. */
static void an_abandoned_realloc_does_not_take_its_address_from_the_next_block(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "mf");
	begin(p, 1, A);
	event(p, (struct alloc_event){ .kind = AE_ALLOC, .task = 2, .ptr = A, .size = 5 }, "mt");
	end(p, 1, AE_REALLOC_BACK, A);
	assert_leaf(p, "mf", 100, 1, 1);
	release(p, A);
	assert_leaf(p, "mt", 5, 1, 1);
	assert_totals(p, .allocs = 2, .alloc_bytes = 105, .frees = 2, .free_bytes = 105,
		      .peak_bytes = 105);
	assert_int_equal(p->live.table.n, 0);
}

static void reallocs_of_several_threads_do_not_mix(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "ma");
	request(p, B, 200, "mb");
	request(p, C, 300, "mc");
	begin(p, 1, A);
	begin(p, 2, B);
	begin(p, 3, C);
	end(p, 1, AE_REALLOC_FREED, A);
	end(p, 3, AE_REALLOC_BACK, C);
	moved(p, 2, B, A, 20, "md");
	assert_leaf(p, "ma", 100, 1, 1);
	assert_leaf(p, "mb", 200, 1, 1);
	assert_leaf(p, "mc", 300, 1, 0);
	assert_leaf(p, "md", 20, 1, 0);
	assert_int_equal(p->n_taken, 0);
	assert_int_equal(p->live.table.n, 2);
	assert_totals(p, .allocs = 4, .alloc_bytes = 620, .frees = 2, .free_bytes = 300,
		      .peak_bytes = 600);
}

/* A handler that interrupts a realloc calls realloc itself. */
static void reallocs_within_one_thread_end_from_the_inside_out(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "ma");
	request(p, B, 200, "mb");
	begin(p, 1, A);
	begin(p, 1, B);
	moved(p, 1, B, C, 30, "mc");
	moved(p, 1, A, B, 40, "md");
	assert_leaf(p, "ma", 100, 1, 1);
	assert_leaf(p, "mb", 200, 1, 1);
	assert_totals(p, .allocs = 4, .alloc_bytes = 370, .frees = 2, .free_bytes = 300,
		      .peak_bytes = 300);
}

/* ---- pauses ---- */

static uint64_t told_missed;

static void hear_of_missed(void *ctx, const struct alloc_event *e, const struct block_change *c)
{
	const struct profile *p = ctx;

	assert_true(e->kind == AE_FREE && c->kind == BLOCK_GONE && c->leaf == PD_NONE);
	told_missed += p->leaves[c->old_leaf].size;
}

static void blocks_that_are_there_in_a_pause_count_as_gone_until_they_are_freed(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "ma");
	request(p, B, 200, "mb");
	release(p, B);
	request(p, B, 20, "mb");
	begin(p, 1, A);
	told_missed = 0;
	profile_miss(p, 5, hear_of_missed, p);
	assert_int_equal(told_missed, 120); /* that which a realloc holds is there, too */
	assert_totals(p, .allocs = 3, .alloc_bytes = 320, .frees = 3, .free_bytes = 320,
		      .peak_bytes = 300, .missed = 2, .missed_bytes = 120);
	assert_int_equal(p->live_bytes, 0);
	end(p, 1, AE_REALLOC_BACK, A);
	profile_miss(p, 6, hear_of_missed, p); /* once is enough */
	assert_int_equal(told_missed, 120);
	assert_int_equal(p->totals.missed, 2);
	release(p, A);
	assert_int_equal(changed.kind, BLOCK_NO_CHANGE);
	release(p, C);
	assert_totals(p, .allocs = 3, .alloc_bytes = 320, .frees = 3, .free_bytes = 320,
		      .peak_bytes = 300, .missed = 1, .missed_bytes = 20, .paused_frees = 1);
	/* Where the other was another one is now: it went in the pause. */
	request(p, B, 7, "mc");
	assert_int_equal(changed.replaced_leaf, PD_NONE);
	assert_totals(p, .allocs = 4, .alloc_bytes = 327, .frees = 3, .free_bytes = 320,
		      .peak_bytes = 300, .missed = 1, .missed_bytes = 20, .paused_frees = 1);
	assert_int_equal(p->live_bytes, 7);
	release(p, B);
	assert_totals(p, .allocs = 4, .alloc_bytes = 327, .frees = 4, .free_bytes = 327,
		      .peak_bytes = 300, .missed = 1, .missed_bytes = 20, .paused_frees = 1);
}

static unsigned told_announced[2];

static void hear_of_announced(void *ctx, const struct alloc_event *e,
			      const struct block_change *c)
{
	const struct profile *p = ctx;

	assert_int_equal(e->ptr, A);
	assert_int_equal(p->leaves[c->old_leaf].size, e->announced ? 20 : 100);
	told_announced[e->announced]++;
}

/* A pool that is cut up: the first piece has the address of the whole. */
static void a_missed_block_is_told_by_its_address_announced_or_not(void **state)
{
	struct profile *p = *state;

	for (unsigned held = 0; held < 2; held++) {
		request(p, A, 100, "ma");
		event(p, (struct alloc_event){ .kind = AE_ALLOC, .ptr = A, .size = 20,
					       .announced = true }, "mb");
		if (held)
			event(p, (struct alloc_event){ .kind = AE_REALLOC_BEGIN, .task = 1,
						       .old_ptr = A, .announced = true }, "");
		memset(told_announced, 0, sizeof told_announced);
		profile_miss(p, 5, hear_of_announced, p);
		assert_int_equal(told_announced[0], 1);
		assert_int_equal(told_announced[1], 1);
	}
}

static void a_block_from_before_a_pause_that_is_resized_is_new(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "ma");
	profile_miss(p, 5, NULL, NULL);
	begin(p, 1, A);
	moved(p, 1, A, B, 30, "mb");
	assert_true(changed.kind == BLOCK_NEW && changed.old_leaf == PD_NONE);
	assert_totals(p, .allocs = 2, .alloc_bytes = 130, .frees = 1, .free_bytes = 100,
		      .peak_bytes = 100);
	assert_int_equal(p->live_bytes, 30);
}

static void a_childs_blocks_are_its_parents_whether_missed_or_not(void **state)
{
	struct profile *p = *state, *c;

	request(p, A, 100, "ma");
	profile_miss(p, 5, NULL, NULL);
	c = profile_fork(p);
	assert_non_null(c);
	release(c, A);
	assert_int_equal(changed.kind, BLOCK_NO_CHANGE);
	release(c, B);
	assert_totals(c, .unknown_frees = 1, .inherited_frees = 1, .paused_frees = 1);
	profile_miss(c, 6, NULL, NULL);
	assert_int_equal(c->totals.missed, 0);
	profile_free(c);
}

/* A child's recorders are copies of its parent's, which were told of the end. */
static void what_a_parent_missed_is_no_news_to_its_childs_recorders(void **state)
{
	struct profile *p = *state, *c;

	request(p, A, 100, "ma");
	request(p, B, 100, "ma");
	profile_miss(p, 5, NULL, NULL);
	c = profile_fork(p);
	assert_non_null(c);
	request(c, A, 7, "mb");
	assert_true(changed.kind == BLOCK_NEW && changed.replaced_leaf == PD_NONE);
	begin(c, 2, B);
	moved(c, 2, B, B, 30, "mb");
	assert_true(changed.kind == BLOCK_NEW && changed.old_leaf == PD_NONE);
	profile_free(c);
}

/* ---- fork ---- */

static void a_child_starts_with_no_counts_and_its_parents_blocks(void **state)
{
	struct profile *p = *state, *c;

	request(p, A, 100, "mf");
	request(p, B, 200, "mf");
	c = profile_fork(p);
	assert_non_null(c);
	assert_totals(c, 0);
	assert_leaf(c, "mf", 100, 0, 0);
	release(c, A);
	release(c, C);
	assert_totals(c, .unknown_frees = 2, .inherited_frees = 1);
	request(c, A, 5, "mg");
	release(c, A);
	assert_totals(c, .allocs = 1, .alloc_bytes = 5, .frees = 1, .free_bytes = 5,
		      .peak_bytes = 5, .unknown_frees = 2, .inherited_frees = 1);
	/* The parent goes on by itself. */
	release(p, A);
	assert_totals(p, .allocs = 2, .alloc_bytes = 300, .frees = 1, .free_bytes = 100,
		      .peak_bytes = 300);
	profile_free(c);
}

static void an_inherited_block_can_be_resized_and_its_address_reused(void **state)
{
	struct profile *p = *state, *c;

	request(p, A, 100, "mf");
	request(p, B, 200, "mf");
	request(p, C, 300, "mf");
	c = profile_fork(p);
	assert_non_null(c);
	begin(c, 1, A);
	moved(c, 1, A, A, 50, "mg");
	assert_totals(c, .allocs = 1, .alloc_bytes = 50, .peak_bytes = 50, .unknown_frees = 1,
		      .inherited_frees = 1);
	request(c, B, 7, "mg"); /* the free between was not seen */
	assert_totals(c, .allocs = 2, .alloc_bytes = 57, .peak_bytes = 57, .unknown_frees = 1,
		      .inherited_frees = 1);
	begin(c, 1, C);
	end(c, 1, AE_REALLOC_BACK, C);
	release(c, C);
	assert_int_equal(c->totals.inherited_frees, 2);
	profile_free(c);
}

static void a_block_that_another_threads_realloc_holds_is_inherited(void **state)
{
	struct profile *p = *state, *c;

	request(p, A, 100, "mf");
	request(p, B, 200, "mf");
	begin(p, 2, A);
	begin(p, 3, B);
	request(p, B, 7, "mg"); /* that realloc has moved it, and has not been heard of yet */
	c = profile_fork(p);
	assert_non_null(c);
	release(c, A);
	release(c, B);
	assert_totals(c, .unknown_frees = 2, .inherited_frees = 2);
	/* It is over in the parent alone. */
	moved(p, 2, A, C, 50, "mf");
	assert_int_equal(c->live.table.n, 0);
	profile_free(c);
}

static void grandchildren_inherit_what_their_parent_got_and_inherited(void **state)
{
	struct profile *p = *state, *c, *g;

	request(p, A, 100, "mf");
	c = profile_fork(p);
	assert_non_null(c);
	request(c, B, 200, "mg");
	g = profile_fork(c);
	assert_non_null(g);
	release(g, A);
	release(g, B);
	assert_totals(g, .unknown_frees = 2, .inherited_frees = 2);
	profile_free(g);
	profile_free(c);
}

/* ---- places and chains ---- */

static void a_place_has_one_number_and_no_other_place_has_it(void **state)
{
	static const struct profile_place places[] = {
		{ .address = 0x1000 },
		{ .address = 0x1000, .module = 1 },
		{ .address = 0x1000, .exact = true },
		{ .address = 0x1000, .guessed = true },
		{ .address = 0x1000, .exact = true, .guessed = true },
		{ .address = 0x1001 },
		{ .address = 0x1000, .module = PD_NONE },
		{ .address = 0x1000, .module = PD_NONE, .exact = true },
		/* These would be one if only their mix were compared. */
		{ .address = 0x1000 ^ 1ull << 48, .module = 1 },
		{ .address = 0x1000 ^ 1ull << 63 },
		{ .address = 0x1000 ^ 1ull << 62 },
	};
	const uint32_t n = sizeof places / sizeof *places;

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(profile_frame(*state, &places[i]), i);
}

static void equal_chains_share_their_nodes(void **state)
{
	struct profile *p = *state;

	request(p, A, 1, "mfg");
	request(p, B, 1, "mfg");
	request(p, C, 2, "mfh");
	assert_int_equal(p->n_nodes, PD_FIRST_NODE + 4);
	assert_leaf(p, "mfg", 1, 2, 0);
	assert_leaf(p, "mfh", 2, 1, 0);
	for (uint32_t i = PD_FIRST_NODE; i < p->n_nodes; i++)
		assert_true(p->nodes[i].parent < i); /* parents first */
}

static void a_recursion_is_as_deep_in_the_tree_as_it_was(void **state)
{
	struct profile *p = *state;

	request(p, A, 1, "mfff");
	request(p, B, 1, "mff");
	assert_int_equal(p->n_nodes, PD_FIRST_NODE + 4);
	assert_leaf(p, "mfff", 1, 1, 0);
	assert_leaf(p, "mff", 1, 1, 0);
}

static void truncated_chains_hang_below_a_root_of_their_own(void **state)
{
	struct profile *p = *state;

	request(p, A, 1, ".fg");
	request(p, B, 1, "fg");
	request(p, C, 1, ".");
	assert_leaf(p, ".fg", 1, 1, 0);
	assert_leaf(p, "fg", 1, 1, 0);
	assert_leaf(p, ".", 1, 1, 0);
	assert_int_equal(p->totals.truncated_chains, 2);
}

static void why_chains_are_truncated_is_counted(void **state)
{
	static const enum chain_end ends[] = { CHAIN_WHOLE, CHAIN_NO_CFI, CHAIN_UNREADABLE,
					       CHAIN_TOO_DEEP };
	struct profile *p = *state;

	/* Each the oftener, the later it stands here. */
	for (taddr i = 0; i < 4; i++)
		for (taddr k = 0; k <= i; k++)
			event(p, (struct alloc_event){ .kind = AE_ALLOC, .ptr = 0x100 * (i + 1) + k,
						       .chain.truncated = ends[i] }, "");
	assert_int_equal(p->totals.truncated_chains, 2 + 3 + 4);
	assert_int_equal(p->totals.truncated_no_cfi, 2);
	assert_int_equal(p->totals.truncated_unreadable, 3);
	assert_int_equal(p->totals.truncated_too_deep, 4);
}

static void an_empty_chain_ends_in_the_root(void **state)
{
	struct profile *p = *state;

	request(p, A, 3, "");
	assert_leaf(p, "", 3, 1, 0);
	assert_int_equal(p->leaves[0].node, PD_ROOT_WHOLE);
	assert_int_equal(p->totals.truncated_chains, 0);
}

/* ---- CC: what a chain repeats of the one before, doc/tables.md, section 3 ---- */

static uint64_t elements_repeated(const struct profile *p)
{
	uint32_t *depth = calloc(p->n_nodes, sizeof *depth);
	uint64_t sum = 0;

	assert_non_null(depth);
	for (uint32_t i = PD_FIRST_NODE; i < p->n_nodes; i++) {
		depth[i] = depth[p->nodes[i].parent] + 1; /* a parent comes first */
		sum += p->nodes[i].resumed * depth[i];
	}
	free(depth);
	return sum;
}

static void assert_repeats(struct profile *p, const char *chain, uint64_t same)
{
	static taddr next = 0x100000;
	uint64_t before = elements_repeated(p);

	request(p, next += 16, 1, chain);
	assert_int_equal(elements_repeated(p) - before, same);
}

/* The requests of the program with a cycle, in section 8; a letter is a call site:
 * m, n, o: main calling F, leaf and walk; f: F calling G; g: G calling F; h: G calling leaf; ... */
static void the_cycle_of_the_spec_repeats_what_its_chains_share(void **state)
{
	struct profile *p = *state;

	assert_repeats(p, "mfgfx", 0);	/* the first request has none */
	assert_repeats(p, "mfgfhl", 4);	/* main F G F; then the innermost of the one before */
	assert_repeats(p, "nl", 0);
	assert_repeats(p, "ow", 0);
	assert_repeats(p, "ovw", 1);
	assert_repeats(p, "ovvw", 2);
}

static void innermost_elements_are_not_compared(void **state)
{
	struct profile *p = *state;

	assert_repeats(p, "abc", 0);
	assert_repeats(p, "abc", 2);	/* the very same chain */
	assert_repeats(p, "abcd", 2);	/* c is the innermost of the one before */
	assert_repeats(p, "abcde", 3);
	assert_repeats(p, "abc", 2);	/* c is the innermost of this one */
	assert_repeats(p, "a", 0);
	assert_repeats(p, "a", 0);
	assert_repeats(p, "ab", 0);
	assert_repeats(p, "ab", 1);
	assert_repeats(p, "xb", 0);	/* from the outside in: b is behind a difference */
	assert_repeats(p, "", 0);
	assert_repeats(p, "xb", 0);
}

static void each_repetition_is_noted_where_it_ends(void **state)
{
	struct profile *p = *state;

	request(p, A, 1, "abc");
	request(p, B, 1, "abd");
	request(p, C, 1, "abdx");
	request(p, 0x4000, 1, "ax");
	assert_int_equal(p->nodes[node(p, "ab")].resumed, 2);
	assert_int_equal(p->nodes[node(p, "a")].resumed, 1);
	assert_int_equal(p->nodes[node(p, "abd")].resumed, 0);
}

/* Only requests are compared: frees and failed calls between them do not matter. */
static void other_events_do_not_come_between_two_requests(void **state)
{
	struct profile *p = *state;

	request(p, A, 1, "abc");
	begin(p, 1, A);
	event(p, (struct alloc_event){ .kind = AE_FAILED }, "xyz");
	moved(p, 1, A, B, 2, "abd");
	release(p, B);
	assert_int_equal(elements_repeated(p), 2);
}

static void whole_and_truncated_chains_have_nothing_in_common(void **state)
{
	struct profile *p = *state;

	assert_repeats(p, "abc", 0);
	assert_repeats(p, ".abc", 0);
	assert_repeats(p, "abc", 0);
	assert_repeats(p, "abc", 2);
}

/* ---- size ---- */

static void a_chain_may_have_a_hundred_thousand_elements(void **state)
{
	enum { DEEP = 100000 };
	struct profile *p = *state;
	uint32_t *frames = calloc(DEEP, sizeof *frames);

	assert_non_null(frames);
	for (uint32_t i = 0; i < DEEP; i++) {
		struct profile_place place = { .address = i % 1000 };
		frames[i] = profile_frame(p, &place);
	}
	for (uint32_t i = 0; i < 10; i++) {
		struct alloc_event e = { .kind = AE_ALLOC, .ptr = A + i, .size = 8,
					 .chain = { .frames = frames, .n = DEEP - i } };
		assert_int_equal(profile_event(p, &e, &(struct block_change){ 0 }), 0);
	}
	/* Outermost is frames[DEEP - 1 - i]: each chain is another one from main inwards. */
	assert_int_equal(p->n_places, 1000);
	assert_int_equal(p->n_nodes, PD_FIRST_NODE + 10 * DEEP - 45);
	for (uint32_t i = 0; i < 1000; i++) {
		struct alloc_event e = { .kind = AE_ALLOC, .ptr = B + i, .size = 8,
					 .chain = { .frames = frames, .n = DEEP } };
		assert_int_equal(profile_event(p, &e, &(struct block_change){ 0 }), 0);
	}
	assert_int_equal(p->n_nodes, PD_FIRST_NODE + 10 * DEEP - 45);
	assert_int_equal(elements_repeated(p) / (DEEP - 1), 999);
	free(frames);
}

static void what_a_profile_uses_is_told(void **state)
{
	struct profile *p = *state;
	struct pd_memory before = profile_memory(p), after;

	for (taddr i = 1; i < 5000; i++) {
		char chain[] = { (char)(1 + i % 100), (char)(1 + i / 100), 0 };
		request(p, i, i, chain);
	}
	after = profile_memory(p);
	assert_true(after.paths > before.paths);
	assert_true(after.functions > before.functions);
	assert_true(after.links > before.links);
	assert_true(after.counters >= before.counters + 5000 * sizeof(struct call_leaf));
}

static struct profile_data *resolved(const struct profile *p)
{
	const struct resolve_module nameless = { "/nonexistent", -1 };
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	assert_int_equal(resolve_profile(p, &nameless, 1, PD_NONE, d), 0);
	return d;
}

#define ASSERT_SAME(a, b, what)                                                                    \
	do {                                                                                       \
		assert_int_equal((a)->n_##what, (b)->n_##what);                                    \
		assert_memory_equal((a)->what, (b)->what, (a)->n_##what * sizeof *(a)->what);      \
	} while (0)

static void a_finished_profile_keeps_what_is_reported_and_little_else(void **state)
{
	struct profile *p = *state, *c;

	for (taddr i = 1; i < 5000; i++) {
		char chain[] = { (char)(1 + i % 100), (char)(1 + i / 100), 0 };
		request(p, i, i, chain);
	}
	c = profile_fork(p);
	assert_non_null(c);
	request(c, 10000, 77, "xyz");
	request(c, 10001, 78, ".xy");
	request(c, 10002, 79, "xyza");
	release(c, 10002);
	request(c, 10003, 5, "xyz");
	release(c, 10000);
	release(c, 3);
	begin(c, 1, 10003);
	struct profile_data *before = resolved(c);
	struct pd_memory used = profile_memory(c);

	assert_int_equal(profile_finish(c), 0);
	assert_int_equal(c->n_leaves, 4);
	assert_int_equal(c->n_places, 4);
	assert_int_equal(c->n_nodes, PD_FIRST_NODE + 6);
	assert_true(c->cap_leaves == 4 && c->cap_places == 4 && c->cap_nodes == c->n_nodes);
	assert_int_equal(live_memory(&c->live), 0);
	assert_null(c->leaf_index.slots);
	assert_leaf(c, "xyz", 77, 1, 1);
	/* Its report is the same, that of the memory it used included. */
	struct pd_memory told = profile_memory(c);
	assert_memory_equal(&told, &used, sizeof used);
	struct profile_data *after = resolved(c);
	ASSERT_SAME(before, after, nodes);
	ASSERT_SAME(before, after, leaves);
	ASSERT_SAME(before, after, lifetimes);
	assert_int_equal(before->n_sites, after->n_sites);
	for (size_t i = 0; i < before->n_sites; i++)
		assert_int_equal(before->sites[i].address, after->sites[i].address);
	assert_memory_equal(&before->totals, &after->totals, sizeof before->totals);
	/* Once is enough. */
	assert_int_equal(profile_finish(c), 0);
	assert_int_equal(c->n_leaves, 4);
	profile_data_free(before);
	profile_data_free(after);
	profile_free(c);
}

static void a_finished_profile_may_be_empty(void **state)
{
	struct profile *p = *state;

	assert_int_equal(profile_finish(p), 0);
	assert_int_equal(p->n_nodes, PD_FIRST_NODE);
	struct profile_data *d = resolved(p);
	assert_int_equal(d->n_leaves, 0);
	profile_data_free(d);
}

static void labelled(struct profile *p, taddr ptr, uint64_t size, enum alloc_label label)
{
	event(p, (struct alloc_event){ .kind = AE_ALLOC, .ptr = ptr, .size = size, .label = label },
	      "mf");
}

/* What a label stands for is counted where it was before, not beside it. */
static void assert_goes_on_with_labels(struct profile *p, size_t leaves)
{
	for (uint32_t i = 0; i < leaves; i++) {
		labelled(p, C + 16 * i, 100, (enum alloc_label)i);
		assert_int_equal(changed.leaf, i);
		assert_int_equal(p->leaves[i].label, i);
		assert_int_equal(p->leaves[i].allocs, 1);
	}
	assert_int_equal(p->n_leaves, leaves);
}

static void a_child_and_a_profile_begun_anew_keep_the_labels(void **state)
{
	struct profile *p = *state, *c;

	for (unsigned i = 0; i < 4; i++)
		labelled(p, A + 16 * i, 100, (enum alloc_label)i);
	assert_int_equal(p->n_leaves, 4);
	c = profile_fork(p);
	assert_non_null(c);
	release(c, A + 16);
	assert_int_equal(c->leaves[changed.old_leaf].label, 1);
	assert_goes_on_with_labels(c, 4);
	profile_free(c);
	profile_restart(p);
	assert_goes_on_with_labels(p, 4);
}

static void a_profile_begun_anew_knows_nothing_but_its_numbers(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "mf");
	request(p, B, 100, ".mf");
	begin(p, 1, B);
	release(p, C);
	profile_restart(p);
	assert_totals(p, 0);
	assert_leaf(p, "mf", 100, 0, 0);
	release(p, A); /* from before */
	end(p, 1, AE_REALLOC_BACK, B);
	request(p, C, 5, "mf");
	assert_int_equal(p->n_places, 2);
	assert_leaf(p, "mf", 5, 1, 0);
	assert_int_equal(elements_repeated(p), 0);
	assert_totals(p, .allocs = 1, .alloc_bytes = 5, .peak_bytes = 5, .unknown_frees = 1);
}

/* ---- what is told of an event ---- */

static void assert_changed(enum block_change_kind kind, uint32_t leaf, uint32_t old_leaf,
			   uint32_t replaced_leaf)
{
	assert_int_equal(changed.kind, kind);
	assert_int_equal(changed.leaf, leaf);
	assert_int_equal(changed.old_leaf, old_leaf);
	assert_int_equal(changed.replaced_leaf, replaced_leaf);
}

static void what_an_event_changed_is_told_by_leaves(void **state)
{
	struct profile *p = *state;
	const uint32_t none = PD_NONE;

	request(p, A, 100, "mf");
	assert_changed(BLOCK_NEW, 0, none, none);
	request(p, B, 200, "mf");
	assert_changed(BLOCK_NEW, 1, none, none);
	request(p, A, 200, "mf"); /* its free was not seen */
	assert_changed(BLOCK_NEW, 1, none, 0);
	begin(p, 1, B);
	assert_changed(BLOCK_NO_CHANGE, none, none, none);
	moved(p, 1, B, C, 300, "mg");
	assert_changed(BLOCK_RESIZED, 2, 1, none);
	begin(p, 1, B);
	moved(p, 1, B, B, 300, "mg"); /* of an unknown block */
	assert_changed(BLOCK_NEW, 2, none, none);
	begin(p, 1, C);
	end(p, 1, AE_REALLOC_BACK, C);
	assert_changed(BLOCK_NO_CHANGE, none, none, none);
	begin(p, 1, C);
	end(p, 1, AE_REALLOC_FREED, C);
	assert_changed(BLOCK_GONE, none, 2, none);
	release(p, C);
	assert_changed(BLOCK_NO_CHANGE, none, none, none);
	release(p, 0);
	assert_changed(BLOCK_NO_CHANGE, none, none, none);
	assert_int_equal(p->totals.unknown_frees, 2);
	release(p, A);
	assert_changed(BLOCK_GONE, none, 1, none);
}

static void an_abandoned_realloc_whose_address_came_back_is_told_as_a_free(void **state)
{
	struct profile *p = *state;

	request(p, A, 100, "mf");
	begin(p, 1, A);
	request(p, A, 200, "mg");
	end(p, 1, AE_REALLOC_BACK, A);
	assert_changed(BLOCK_GONE, PD_NONE, 0, PD_NONE);
}

static void a_child_is_told_its_parents_leaves(void **state)
{
	struct profile *p = *state, *c;

	request(p, A, 100, "mf");
	request(p, B, 200, "mf");
	c = profile_fork(p);
	assert_non_null(c);
	release(c, B);
	assert_changed(BLOCK_GONE, PD_NONE, 1, PD_NONE);
	assert_true(changed.old_inherited);
	request(c, A, 200, "mf");
	assert_changed(BLOCK_NEW, 1, PD_NONE, 0);
	assert_true(changed.replaced_inherited);
	release(c, A);
	assert_changed(BLOCK_GONE, PD_NONE, 1, PD_NONE);
	assert_false(changed.old_inherited);
	profile_free(c);
}

#define PROFILE_TEST(f) cmocka_unit_test_setup_teardown(f, profile_setup, profile_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROFILE_TEST(what_an_event_changed_is_told_by_leaves),
		PROFILE_TEST(an_abandoned_realloc_whose_address_came_back_is_told_as_a_free),
		PROFILE_TEST(a_child_is_told_its_parents_leaves),
		PROFILE_TEST(a_new_profile_has_two_roots_and_nothing_else),
		PROFILE_TEST(a_free_is_charged_to_the_chain_and_size_of_its_request),
		PROFILE_TEST(requests_of_no_bytes_count_like_any_other),
		PROFILE_TEST(sizes_and_sums_have_64_bits),
		PROFILE_TEST(a_failed_call_is_no_request),
		PROFILE_TEST(the_free_of_an_unknown_block_counts_apart_only),
		PROFILE_TEST(the_allocators_own_free_counts_only_if_the_block_is_known),
		PROFILE_TEST(an_address_handed_out_again_shows_a_free_that_was_not_seen),
		PROFILE_TEST(the_peak_is_the_most_that_was_ever_live_at_once),
		PROFILE_TEST(a_resized_block_is_a_free_and_a_request_wherever_it_ends_up),
		PROFILE_TEST(a_realloc_that_fails_leaves_its_block_as_it_was),
		PROFILE_TEST(a_realloc_to_nothing_is_a_free),
		PROFILE_TEST(a_resized_unknown_block_is_an_unknown_free_and_a_request),
		PROFILE_TEST(a_realloc_whose_begin_was_not_seen_is_of_an_unknown_block),
		PROFILE_TEST(an_address_may_be_handed_out_while_its_realloc_still_runs),
		PROFILE_TEST(an_abandoned_realloc_does_not_take_its_address_from_the_next_block),
		PROFILE_TEST(reallocs_of_several_threads_do_not_mix),
		PROFILE_TEST(reallocs_within_one_thread_end_from_the_inside_out),
		PROFILE_TEST(
			blocks_that_are_there_in_a_pause_count_as_gone_until_they_are_freed),
		PROFILE_TEST(a_missed_block_is_told_by_its_address_announced_or_not),
		PROFILE_TEST(a_block_from_before_a_pause_that_is_resized_is_new),
		PROFILE_TEST(a_childs_blocks_are_its_parents_whether_missed_or_not),
		PROFILE_TEST(what_a_parent_missed_is_no_news_to_its_childs_recorders),
		PROFILE_TEST(a_child_starts_with_no_counts_and_its_parents_blocks),
		PROFILE_TEST(an_inherited_block_can_be_resized_and_its_address_reused),
		PROFILE_TEST(a_block_that_another_threads_realloc_holds_is_inherited),
		PROFILE_TEST(grandchildren_inherit_what_their_parent_got_and_inherited),
		PROFILE_TEST(a_place_has_one_number_and_no_other_place_has_it),
		PROFILE_TEST(equal_chains_share_their_nodes),
		PROFILE_TEST(a_recursion_is_as_deep_in_the_tree_as_it_was),
		PROFILE_TEST(truncated_chains_hang_below_a_root_of_their_own),
		PROFILE_TEST(why_chains_are_truncated_is_counted),
		PROFILE_TEST(an_empty_chain_ends_in_the_root),
		PROFILE_TEST(the_cycle_of_the_spec_repeats_what_its_chains_share),
		PROFILE_TEST(innermost_elements_are_not_compared),
		PROFILE_TEST(each_repetition_is_noted_where_it_ends),
		PROFILE_TEST(other_events_do_not_come_between_two_requests),
		PROFILE_TEST(whole_and_truncated_chains_have_nothing_in_common),
		PROFILE_TEST(a_chain_may_have_a_hundred_thousand_elements),
		PROFILE_TEST(what_a_profile_uses_is_told),
		PROFILE_TEST(a_finished_profile_keeps_what_is_reported_and_little_else),
		PROFILE_TEST(a_finished_profile_may_be_empty),
		PROFILE_TEST(a_child_and_a_profile_begun_anew_keep_the_labels),
		PROFILE_TEST(a_profile_begun_anew_knows_nothing_but_its_numbers),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
