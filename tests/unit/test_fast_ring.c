/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer's end of the ring alone: reading records, and memory with invalid ones. */
#include "unit/unit.h"

#include "arch/x86_64_agent.h"
#include "fast/nodes.h"
#include "fast/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct end {
	struct agent_shared *s;
	struct ring *ring;
	struct nodes *nodes;
	uint64_t n, sum, found;
	struct ring_record last;
	uint64_t last_stack[2];
};

static uint32_t a_place(void *ctx, taddr pc, bool exact, bool guessed, bool *hidden)
{
	(void)ctx;
	*hidden = exact && guessed;
	return (uint32_t)pc & 0xffff;
}

static uint32_t a_node(void *ctx, uint32_t parent, uint32_t place)
{
	(void)ctx;
	return (parent * 31 + place) & 0xfffff;
}

static void take(void *ctx, const struct ring_record *r)
{
	struct end *e = ctx;
	uint32_t node = 0;
	enum chain_end how = CHAIN_WHOLE;
	int err;

	e->n++;
	e->last = *r;
	assert_in_range(r->kind, RECORD_ALLOC, RECORD_FREE);
	assert_in_range(r->thread, 0, AGENT_NO_THREAD);
	if (r->stack) {
		assert_in_range(r->stack->bytes, 0, AGENT_STACK_BYTES);
		assert_int_equal(r->stack->bytes % 8, 0);
		for (uint32_t i = 0; i < r->stack->bytes / 8; i++)
			e->sum += r->stack->word[i];
		memcpy(e->last_stack, r->stack->word, sizeof e->last_stack);
	}
	err = nodes_find(e->nodes, r->node, &node, &how);
	assert_true(err == 0 || err == -EINVAL);
	if (!err) {
		assert_in_range(how, CHAIN_WHOLE, CHAIN_TOO_DEEP);
		assert_in_range(node, 0, 0xfffff);
		e->found++;
	}
}

static unsigned any_depth(void *ctx)
{
	(void)ctx;
	return 0;
}

static int setup(void **state)
{
	struct end *e = calloc(1, sizeof *e);
	struct nodes_host host = {
		.place = a_place, .node = a_node, .root_whole = 0, .root_truncated = 1,
		.depth = any_depth};

	assert_non_null(e);
	e->s = mmap(NULL, sizeof *e->s, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(e->s, MAP_FAILED);
	e->ring = ring_new(e->s);
	e->nodes = nodes_new(e->s, &host);
	assert_non_null(e->ring);
	assert_non_null(e->nodes);
	*state = e;
	return 0;
}

static int teardown(void **state)
{
	struct end *e = *state;

	nodes_free(e->nodes);
	ring_free(e->ring);
	munmap(e->s, sizeof *e->s);
	free(e);
	return 0;
}

static void put(struct agent_shared *s, uint64_t lo, uint64_t hi)
{
	uint64_t pos = __atomic_fetch_add(&s->head, 1, __ATOMIC_SEQ_CST);

	arch_swap_pair(&s->ring[pos % AGENT_RING], 0, pos / AGENT_RING, lo, hi);
}

static uint64_t lo_of(enum agent_kind kind, uint64_t pointer, uint32_t thread)
{
	return RECORD_SET | pointer << RECORD_POINTER_SHIFT | (uint64_t)kind << RECORD_KIND_SHIFT |
	       thread;
}

static uint64_t drain(struct end *e, uint64_t most, uint64_t upto)
{
	return ring_drain(e->ring, most, upto, take, e);
}

static void a_reader_stops_where_it_is_told_to_and_goes_on_from_there(void **state)
{
	struct end *e = *state;

	for (uint64_t i = 0; i < 10; i++)
		put(e->s, lo_of(RECORD_FREE, i, 100),
		    UINT64_C(7) << RECORD_FUNCTION_SHIFT | 0x1234);
	assert_int_equal(drain(e, 3, UINT64_MAX), 3);
	assert_int_equal(e->last.pointer, 2);
	assert_int_equal(e->last.function, 7);
	assert_int_equal(e->last.ret, 0x1234);
	assert_int_equal(drain(e, UINT64_MAX, 5), 2);
	assert_int_equal(e->last.pointer, 4);
	assert_int_equal(drain(e, UINT64_MAX, 5), 0);
	assert_int_equal(drain(e, UINT64_MAX, 1000), 5);
	assert_int_equal(ring_position(e->ring), 10);
	assert_int_equal(e->s->tail, 10);
}

/* Records that are shown before they are taken. */
static struct expected {
	struct end *e;
	uint64_t n, enough, wrong;
} expected;

static bool expect(void *ctx, const struct agent_record *v, unsigned n)
{
	struct expected *x = &expected;

	x->wrong += ctx != x->e || x->e->n != x->n;
	for (unsigned i = 0; i < n; i++)
		x->wrong += v[i].lo != lo_of(RECORD_FREE, x->n++, 100) || v[i].hi != 5;
	return x->n < x->enough;
}

static void records_are_shown_before_they_are_taken(void **state)
{
	struct end *e = *state;

	expected = (struct expected){ .e = e, .enough = UINT64_MAX };
	ring_look_ahead(e->ring, expect);
	for (uint64_t i = 0; i < 100; i++)
		put(e->s, lo_of(RECORD_FREE, i, 100), 5);
	assert_int_equal(drain(e, 50, UINT64_MAX), 50);
	assert_int_equal(expected.n, 50);
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), 50);
	assert_int_equal(expected.n, 100);
	/* Of what has not been put nothing is shown. */
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), 0);
	assert_int_equal(expected.n, 100);
	assert_int_equal(expected.wrong, 0);
}

static void who_has_enough_is_not_shown_more_for_a_while(void **state)
{
	struct end *e = *state;

	expected = (struct expected){ .e = e };
	ring_look_ahead(e->ring, expect);
	for (uint64_t i = 0; i < 1000; i++)
		put(e->s, lo_of(RECORD_FREE, i, 100), 5);
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), 1000);
	assert_true(expected.n > 0 && expected.n < 100);
	assert_int_equal(e->n, 1000);
	uint64_t shown = expected.n;
	expected.n = e->n;
	for (uint64_t i = 1000; i < 3000; i++)
		put(e->s, lo_of(RECORD_FREE, expected.n, 100), 5);
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), 2000);
	assert_true(expected.n - 1000 > 0 && expected.n - 1000 < 2 * shown + 100);
}

static void the_time_is_that_of_the_records_behind_it(void **state)
{
	struct end *e = *state;

	put(e->s, lo_of(RECORD_ALLOC, 1, 100), 0);
	put(e->s, lo_of(RECORD_TIME, 0, AGENT_NO_THREAD), 4711);
	put(e->s, lo_of(RECORD_ALLOC, 2, 100), 0);
	drain(e, 1, UINT64_MAX);
	assert_int_equal(e->last.ticks, 0);
	drain(e, 2, UINT64_MAX);
	assert_int_equal(e->last.ticks, 4711);
	assert_int_equal(e->n, 2);
}

static uint64_t until_of_the_next(struct end *e, uint64_t upto)
{
	uint64_t n = e->n;

	while (e->n == n)
		assert_int_equal(drain(e, 1, upto), 1);
	return e->last.until_ticks;
}

static void the_time_that_comes_next_bounds_those_before_it(void **state)
{
	struct end *e = *state;

	put(e->s, lo_of(RECORD_ALLOC, 1, 100), 0);
	put(e->s, lo_of(RECORD_TIME, 0, AGENT_NO_THREAD), 4711);
	put(e->s, lo_of(RECORD_ALLOC, 2, 100), 0);
	for (unsigned i = 0; i < 100; i++)
		put(e->s, lo_of(RECORD_FREE, 1 + i, 100), 0);
	put(e->s, lo_of(RECORD_TIME, 0, AGENT_NO_THREAD), 5000);
	put(e->s, lo_of(RECORD_ALLOC, 3, 100), 0);
	assert_int_equal(until_of_the_next(e, 104), 4711);
	assert_int_equal(until_of_the_next(e, 103), 0);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(until_of_the_next(e, 104), 5000);
	assert_int_equal(until_of_the_next(e, UINT64_MAX), 0);
	/* Within one batch, too. */
	for (uint64_t i = 0; i < 5; i++) {
		put(e->s, lo_of(RECORD_TIME, 0, AGENT_NO_THREAD), 6000 + i);
		put(e->s, lo_of(RECORD_ALLOC, 1, 100), 0);
	}
	put(e->s, lo_of(RECORD_TIME, 0, AGENT_NO_THREAD), 6005);
	assert_int_equal(drain(e, 11, UINT64_MAX), 11);
	assert_int_equal(e->last.ticks, 6004);
	assert_int_equal(e->last.until_ticks, 6005);
}

/* While the first record is taken the program writes all over the ring. */
static void take_from_who_scribbles(void *ctx, const struct ring_record *r)
{
	struct end *e = ctx;

	assert_int_equal(r->pointer, e->n);
	assert_int_equal(r->until_ticks, 4711);
	for (size_t i = 0; !e->n && i < 100; i++)
		e->s->ring[i] = (struct agent_record){ lo_of(RECORD_ALLOC, 77, 101), 77 };
	e->n++;
}

static void what_has_been_read_once_is_not_read_again(void **state)
{
	struct end *e = *state;

	for (uint64_t i = 0; i < 99; i++)
		put(e->s, lo_of(RECORD_FREE, i, 100), 0);
	put(e->s, lo_of(RECORD_TIME, 0, AGENT_NO_THREAD), 4711);
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(ring_drain(e->ring, 10, 100, take_from_who_scribbles, e), 10);
	assert_int_equal(e->n, 99);
	assert_int_equal(ring_counts(e->ring).lost, 0);
}

static void take_in_order(void *ctx, const struct ring_record *r)
{
	struct end *e = ctx;

	assert_int_equal(r->pointer, e->n++);
}

static void what_waits_for_its_time_leaves_room_in_the_ring_and_is_taken_in_order(void **state)
{
	struct end *e = *state;
	enum { MANY = AGENT_RING / 3 * 2, TAKEN = AGENT_RING / 2 };

	for (uint64_t i = 0; i < MANY; i++)
		put(e->s, lo_of(RECORD_FREE, i, 100), 0);
	assert_int_equal(ring_drain(e->ring, TAKEN, UINT64_MAX, take_in_order, e), TAKEN);
	assert_int_equal(ring_position(e->ring), TAKEN);
	assert_int_equal(e->s->tail, MANY);
	assert_int_equal(ring_head(e->ring), MANY);
	/* More than there is room for beside those. */
	for (uint64_t i = 0; i < MANY; i++)
		put(e->s, lo_of(RECORD_FREE, MANY + i, 100), 0);
	assert_int_equal(ring_drain(e->ring, UINT64_MAX, 2 * MANY, take_in_order, e),
			 2 * MANY - TAKEN);
	assert_int_equal(ring_position(e->ring), 2 * MANY);
}

static void words_of_one_thread_do_not_get_into_records_of_another(void **state)
{
	struct end *e = *state;

	put(e->s, lo_of(RECORD_WORD, WORD_OLD, 100), 1000);
	put(e->s, lo_of(RECORD_WORD, WORD_OLD, 101), 1001);
	/* What a handler frees meanwhile has none. */
	put(e->s, lo_of(RECORD_FREE, 1, 100), 0);
	drain(e, UINT64_MAX, UINT64_MAX);
	assert_int_equal(e->last.words, 0);
	put(e->s, lo_of(RECORD_REALLOC, 1, 101) | RECORD_WITH_WORDS, 0);
	drain(e, UINT64_MAX, UINT64_MAX);
	assert_int_equal(e->last.words, 1 << WORD_OLD);
	assert_int_equal(e->last.word[WORD_OLD], 1001);
	put(e->s, lo_of(RECORD_REALLOC, 1, 100) | RECORD_WITH_WORDS, 0);
	drain(e, UINT64_MAX, UINT64_MAX);
	assert_int_equal(e->last.word[WORD_OLD], 1000);
}

static void words_that_were_left_behind_are_forgotten_at_the_next_first_one(void **state)
{
	struct end *e = *state;

	put(e->s, lo_of(RECORD_WORD, WORD_SIZE, 100), 1000);
	put(e->s, lo_of(RECORD_WORD, WORD_OLD, 100), 1);
	put(e->s, lo_of(RECORD_WORD, WORD_SP, 100) | RECORD_WITH_WORDS, 2);
	put(e->s, lo_of(RECORD_REALLOC, 1, 100) | RECORD_WITH_WORDS,
	    UINT64_C(5) << RECORD_SIZE_SHIFT);
	drain(e, UINT64_MAX, UINT64_MAX);
	assert_int_equal(e->last.words, 1 << WORD_OLD | 1 << WORD_SP);
	assert_int_equal(e->last.size, 5);
}

static void what_makes_no_sense_is_lost_and_counted(void **state)
{
	struct end *e = *state;
	const uint64_t wrong[] = {
		1,						  /* not set */
		lo_of(0, 1, 100),				  /* no kind */
		lo_of(RECORD_WORD, AGENT_WORDS, 100),		  /* no such word */
		lo_of(RECORD_WORD, WORD_OLD, AGENT_NO_THREAD),	  /* nobody's */
		lo_of(RECORD_ALLOC, 1, 100) | RECORD_WITH_WORDS,  /* has none */
		lo_of(RECORD_ALLOC, 1, AGENT_NO_THREAD) | RECORD_WITH_WORDS,
	};
	enum { WRONG = sizeof wrong / sizeof *wrong };

	for (int i = 0; i < WRONG; i++)
		put(e->s, wrong[i], 0);
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), WRONG);
	assert_int_equal(e->n, 0);
	assert_int_equal(ring_counts(e->ring).lost, WRONG);
	assert_int_equal(ring_counts(e->ring).records, 0);
}

static void a_stack_comes_as_a_copy_if_it_is_that_one(void **state)
{
	struct end *e = *state;
	struct agent_stack *stack = &e->s->stacks[5];
	const uint64_t word = UINT64_C(2) << 48 | UINT64_C(9) << 32 | 5;
	const uint64_t bad[] = {
		UINT64_C(2) << 48 | UINT64_C(8) << 32 | 5,		/* another turn */
		UINT64_C(2) << 48 | UINT64_C(9) << 32 | AGENT_STACKS,	/* no such copy */
		(uint64_t)(AGENT_STACK_BYTES / 8 + 1) << 48 | UINT64_C(9) << 32 | 5, /* too long */
	};

	*stack = (struct agent_stack){
		.claim = UINT64_C(9) << 32 | 101, .pc = 1, .sp = 2, .fp = 3, .word = {4, 5}};
	for (int i = 0; i < 3; i++) {
		put(e->s, lo_of(RECORD_WORD, WORD_STACK, 100), bad[i]);
		put(e->s, lo_of(RECORD_ALLOC, 1, 100) | RECORD_WITH_WORDS, 0);
		drain(e, UINT64_MAX, UINT64_MAX);
		/* The event is told all the same. */
		assert_int_equal(e->n, i + 1);
		assert_null(e->last.stack);
		assert_int_equal(ring_counts(e->ring).lost, i + 1);
		assert_int_equal(claim_owner(stack->claim), 101);
	}
	/* what another thread has told of, which has left it */
	put(e->s, lo_of(RECORD_WORD, WORD_STACK, 99), word);
	put(e->s, lo_of(RECORD_ALLOC, 1, 99) | RECORD_WITH_WORDS, 0);
	drain(e, UINT64_MAX, UINT64_MAX);
	assert_null(e->last.stack);
	assert_int_equal(ring_counts(e->ring).lost, 4);
	assert_int_equal(claim_owner(stack->claim), 101);
	put(e->s, lo_of(RECORD_WORD, WORD_STACK, 100), word);
	put(e->s, lo_of(RECORD_ALLOC, 1, 100) | RECORD_WITH_WORDS, 0);
	drain(e, UINT64_MAX, UINT64_MAX);
	assert_non_null(e->last.stack);
	assert_int_equal(e->last_stack[0], 4);
	assert_int_equal(e->last_stack[1], 5);
	assert_int_equal(claim_owner(stack->claim), 0);
	assert_int_equal(claim_turn(stack->claim), 9);
}

static void a_head_that_lies_is_not_believed(void **state)
{
	struct end *e = *state;

	put(e->s, lo_of(RECORD_ALLOC, 1, 100), 0);
	e->s->head = UINT64_MAX / 3;
	assert_int_equal(ring_head(e->ring), 1);
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), 1);
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), 0);
	e->s->head = 0;
	assert_int_equal(ring_head(e->ring), 1);
}

static void a_position_that_is_damaged_is_lost_and_the_next_ones_are_read(void **state)
{
	struct end *e = *state;

	for (uint64_t i = 0; i < 3; i++)
		put(e->s, lo_of(RECORD_FREE, i, 100), 0);
	e->s->ring[1].lo = 0;
	e->s->ring[1].hi = 77;
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), 3);
	assert_int_equal(e->n, 2);
	assert_int_equal(e->last.pointer, 2);
	assert_int_equal(ring_counts(e->ring).lost, 1);
	/* It has been mended for the next round. */
	assert_int_equal(e->s->ring[1].hi, 1);
	/* Damaged from end to end it is gone round once. */
	for (size_t i = 0; i < AGENT_RING; i++)
		e->s->ring[i] = (struct agent_record){ 0, 77 };
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), AGENT_RING);
	assert_int_equal(drain(e, UINT64_MAX, UINT64_MAX), 0);
	assert_int_equal(e->n, 2);
}

/* ---- memory that changes at random ---- */

static uint64_t rnd(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* A word of the shared memory, mostly one that matters now. */
static uint64_t *some_word(struct agent_shared *s, uint64_t *seed)
{
	uint64_t near =
		(__atomic_load_n(&s->tail, __ATOMIC_RELAXED) + rnd(seed) % 256) % AGENT_RING;

	switch (rnd(seed) % 16) {
	case 0: return &s->head;
	case 1: return &s->tail;
	case 2: return (uint64_t *)s + rnd(seed) % (sizeof *s / 8);
	case 3: return (uint64_t *)&s->stacks[rnd(seed) % 8] + rnd(seed) % 16;
	case 4:
	case 5:
	case 6: return (uint64_t *)&s->nodes[rnd(seed) % 512] + rnd(seed) % 2;
	case 7: return (uint64_t *)&s->n_nodes;
	default: return (uint64_t *)&s->ring[near] + rnd(seed) % 2;
	}
}

static uint64_t some_value(uint64_t *seed)
{
	uint64_t v = rnd(seed);

	switch (rnd(seed) % 6) {
	case 0: return v;
	case 1: return v % 1024;
	case 2: return 0;
	case 3: return (v % 512) << 32 | v % 512;
	case 4: return lo_of(RECORD_WORD, WORD_STACK, v % 8);
	default:
		return lo_of((enum agent_kind)(v % 8), v % 16, v / 16 % 4096) |
		       (v & RECORD_WITH_WORDS);
	}
}

struct mutator {
	struct agent_shared *s;
	uint64_t seed;
	bool stop;
};

static void *mutate(void *arg)
{
	struct mutator *m = arg;

	while (!__atomic_load_n(&m->stop, __ATOMIC_RELAXED)) {
		uint64_t *at = some_word(m->s, &m->seed);

		__atomic_store_n(at, some_value(&m->seed), __ATOMIC_RELAXED);
	}
	return NULL;
}

/* What the agent would do, were the memory as it left it. */
static void record_something(struct agent_shared *s, uint64_t *seed)
{
	uint64_t v = rnd(seed), n = 1 + v % 500, thread = v >> 32 & 7, claim;
	struct agent_stack *stack = &s->stacks[v & 7];

	s->nodes[n] = (struct agent_node){.pc = n < 5 ? n : v >> 3,
					  .parent = n < 5 ? 0 : (uint32_t)(v >> 20) % (uint32_t)n};
	if (v & 1024) {
		claim = claim_taken(stack->claim, (uint32_t)thread + 1);
		stack->claim = claim;
		put(s, lo_of(RECORD_WORD, WORD_STACK, thread),
		    (v >> 40 & 0xfff) << 48 | (uint64_t)claim_turn(claim) << 32 | (v & 7));
	}
	put(s,
	    lo_of(RECORD_ALLOC, v >> 16 & 0xffffff, thread) |
		    (v & 1024 ? RECORD_WITH_WORDS : 0),
	    n);
}

static void a_million_changes_of_the_shared_memory_harm_nobody(void **state)
{
	struct end *e = *state;
	struct mutator m = { .s = e->s, .seed = 99 };
	uint64_t seed = 4711;
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, mutate, &m), 0);
	e->s->n_nodes = 512;
	for (int i = 0; i < 1000000; i++) {
		uint64_t most = 1 + rnd(&seed) % 64;

		*some_word(e->s, &seed) = some_value(&seed);
		record_something(e->s, &seed);
		if (i % 16 == 0)
			e->s->head = ring_position(e->ring) + rnd(&seed) % 512;
		if (i % 64 == 0)
			e->s->n_nodes = 512;
		/* What has been told once is not looked at again. */
		if (i % 4096 == 0)
			nodes_clear(e->nodes);
		assert_in_range(drain(e, most, rnd(&seed) % 8 ? UINT64_MAX : rnd(&seed)), 0, most);
	}
	__atomic_store_n(&m.stop, true, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	print_message("# %llu records taken, %llu with a node, %llu lost, %llu\n",
		      (unsigned long long)e->n, (unsigned long long)e->found,
		      (unsigned long long)ring_counts(e->ring).lost, (unsigned long long)e->sum);
	assert_int_equal(ring_counts(e->ring).records, e->n);
	assert_int_not_equal(e->n, 0);
	assert_int_not_equal(e->found, 0);
	assert_int_not_equal(ring_counts(e->ring).lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_reader_stops_where_it_is_told_to_and_goes_on_from_there, setup, teardown),
		cmocka_unit_test_setup_teardown(records_are_shown_before_they_are_taken, setup,
						teardown),
		cmocka_unit_test_setup_teardown(who_has_enough_is_not_shown_more_for_a_while, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_time_that_comes_next_bounds_those_before_it,
						setup, teardown),
		cmocka_unit_test_setup_teardown(what_has_been_read_once_is_not_read_again, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			what_waits_for_its_time_leaves_room_in_the_ring_and_is_taken_in_order,
			setup, teardown),
		cmocka_unit_test_setup_teardown(the_time_is_that_of_the_records_behind_it, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			words_of_one_thread_do_not_get_into_records_of_another, setup, teardown),
		cmocka_unit_test_setup_teardown(
			words_that_were_left_behind_are_forgotten_at_the_next_first_one, setup,
			teardown),
		cmocka_unit_test_setup_teardown(what_makes_no_sense_is_lost_and_counted, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_stack_comes_as_a_copy_if_it_is_that_one, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_head_that_lies_is_not_believed, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_position_that_is_damaged_is_lost_and_the_next_ones_are_read, setup,
			teardown),
		cmocka_unit_test_setup_teardown(a_million_changes_of_the_shared_memory_harm_nobody,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
