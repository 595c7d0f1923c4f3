/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains that were found before: what identifies them, and what must be unchanged. */
#include "unit/unit.h"

#include "unit/agent_program.h"

enum { EPOCH = 7, NODE = 5, ROOM = 64 };

/* A stack, and the chain that is on it: innermost frame at word 0. */
struct made {
	struct agent_shared *shared;
	struct activation a;
	uint64_t stack[ROOM];
	struct agent_frame frames[4]; /* outermost first */
	uint32_t n;
};

static uint64_t at(const struct made *m, unsigned word)
{
	return (uint64_t)(uintptr_t)&m->stack[word];
}

/*
 * Four frames. The innermost one keeps the frame pointer, its caller has saved it, the next one is
 * found by it; the outermost has no caller. So the fp that the first one has does not matter, and
 * that which the second one has saved does.
 */
static int make(void **state)
{
	struct made *m = calloc(1, sizeof *m);

	assert_non_null(m);
	m->shared = new_shared();
	m->a = (struct activation){ .shared = m->shared, .pc = 0x1000, .sp = at(m, 0), .fp = 0x66 };
	m->frames[3] = (struct agent_frame){ .pc = 0x1000, .sp = at(m, 0), .fp = 0x66 };
	m->frames[2] = (struct agent_frame){ .pc = 0x2000, .sp = at(m, 4), .fp = 0x66,
					     .fp_at = at(m, 6) };
	m->frames[1] = (struct agent_frame){ .pc = 0x3000, .sp = at(m, 8), .fp = at(m, 20),
					     .fp_at = at(m, 20), .by_fp = 1, .needs_fp = 1 };
	m->frames[0] = (struct agent_frame){ .pc = 0x4000, .sp = at(m, 22), .fp = 0x77 };
	m->n = 4;
	m->stack[3] = 0x2000;
	m->stack[6] = at(m, 20);
	m->stack[7] = 0x3000;
	m->stack[20] = 0x77;
	m->stack[21] = 0x4000;
	*state = m;
	return 0;
}

static int unmake(void **state)
{
	struct made *m = *state;

	free_shared(m->shared);
	free(m);
	return 0;
}

static void walked(struct made *m, uint32_t node)
{
	agent_chain_remember(&m->a, m->frames, m->n, EPOCH, node);
}

static bool known(const struct made *m, uint32_t node)
{
	uint32_t is = 0;

	return agent_chain_known(&m->a, EPOCH, &is) && is == node;
}

static void a_chain_is_known_when_it_has_been_walked_twice(void **state)
{
	struct made *m = *state;

	assert_false(known(m, NODE));
	walked(m, NODE);
	assert_false(known(m, NODE));
	walked(m, NODE);
	assert_true(known(m, NODE));
}

static void each_word_that_it_follows_from_has_to_be_what_it_was(void **state)
{
	static const unsigned read[] = { 3, 6, 7, 21 };
	struct made *m = *state;

	walked(m, NODE);
	walked(m, NODE);
	for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
		m->stack[read[i]]++;
		assert_false(known(m, NODE));
		m->stack[read[i]]--;
	}
	assert_true(known(m, NODE));
}

static void a_register_that_no_caller_is_found_by_may_be_another_one(void **state)
{
	struct made *m = *state;

	walked(m, NODE);
	walked(m, NODE);
	m->a.fp = 0x99;
	m->stack[20] = 0x88;
	assert_true(known(m, NODE));
}

static void the_frame_pointer_of_the_beginning_matters_if_a_caller_is_found_by_it(void **state)
{
	struct made *m = *state;

	m->frames[3].needs_fp = 1;
	m->frames[2].needs_fp = 1;
	walked(m, NODE);
	walked(m, NODE);
	assert_true(known(m, NODE));
	m->a.fp = 0x99;
	assert_false(known(m, NODE));
}

static void it_is_of_one_place_one_stack_and_one_epoch(void **state)
{
	struct made *m = *state;
	uint32_t node;

	walked(m, NODE);
	walked(m, NODE);
	assert_false(agent_chain_known(&m->a, EPOCH + 1, &node));
	m->a.pc++;
	assert_false(known(m, NODE));
	m->a.pc--;
	m->a.sp += 8;
	assert_false(known(m, NODE));
}

static void chains_from_one_place_are_told_apart(void **state)
{
	struct made *m = *state;

	for (uint32_t i = 0; i < 2 * AGENT_CHAIN_WAYS; i++) {
		uint32_t which = i % AGENT_CHAIN_WAYS;

		m->stack[7] = m->frames[1].pc = 0x3000 + which;
		walked(m, NODE + which);
	}
	for (uint32_t which = 0; which < AGENT_CHAIN_WAYS; which++) {
		m->stack[7] = 0x3000 + which;
		assert_true(known(m, NODE + which));
	}
}

static void tell_row(struct made *m, uint64_t pc, uint16_t words)
{
	m->shared->rows[(pc - 1) % AGENT_ROW_SLOTS] =
		(pc - 1) / AGENT_ROW_SLOTS << 32 | (uint64_t)words << 16;
}

/* More of them than have room where they begin: once the rows of their first frames are known, they
 * are looked up by their callers, too. */
static void chains_that_begin_alike_are_told_apart_by_their_callers(void **state)
{
	enum { CHAINS = 16 * AGENT_CHAIN_WAYS };
	struct made *m = *state;

	tell_row(m, 0x1000, 4);
	tell_row(m, 0x2000, 4);
	for (uint32_t i = 0; i < 2 * CHAINS; i++) {
		m->stack[7] = m->frames[1].pc = 0x3000 + i % CHAINS;
		walked(m, NODE + i % CHAINS);
	}
	for (uint32_t which = 0; which < CHAINS; which++) {
		m->stack[7] = 0x3000 + which;
		assert_true(known(m, NODE + which));
	}
}

static void a_step_that_more_than_words_decide_is_not_remembered(void **state)
{
	struct made *m = *state;

	m->frames[2].special = SPECIAL_STEP;
	for (int i = 0; i < 4; i++)
		walked(m, NODE);
	assert_false(known(m, NODE));
	m->frames[2].special = 0;
	/* A thread's end that is a word of 0, which may be a return address next time. */
	m->frames[0].special = SPECIAL_ZERO;
	for (int i = 0; i < 4; i++)
		walked(m, NODE);
	assert_false(known(m, NODE));
	/* There is nothing outside of it. */
	m->frames[0].special = SPECIAL_STEP;
	for (int i = 0; i < 4; i++)
		walked(m, NODE);
	assert_true(known(m, NODE));
}

/* With 57-bit addresses, or if a frame pointer is something else. */
static void a_word_that_is_no_address_of_48_bits_is_not_remembered(void **state)
{
	struct made *m = *state;

	m->stack[7] = m->frames[1].pc = 0x3000 | UINT64_C(1) << CHAIN_AT_SHIFT;
	for (int i = 0; i < 4; i++)
		walked(m, NODE);
	assert_false(known(m, NODE));
}

static void a_chain_of_too_many_words_is_not_remembered(void **state)
{
	static struct agent_frame frames[AGENT_CHAIN_WORDS + 2];
	static uint64_t stack[AGENT_CHAIN_WORDS + 2];
	struct made *m = *state;
	uint32_t all = AGENT_CHAIN_WORDS + 2, node;

	for (uint32_t i = 0; i < all; i++) {
		frames[all - 1 - i] = (struct agent_frame){
			.pc = 0x1000 + i, .sp = (uint64_t)(uintptr_t)&stack[i] };
		stack[i] = 0x1001 + i;
	}
	m->a.sp = (uint64_t)(uintptr_t)stack;
	for (int i = 0; i < 4; i++)
		agent_chain_remember(&m->a, frames, all, EPOCH, NODE);
	assert_false(agent_chain_known(&m->a, EPOCH, &node));
	for (int i = 0; i < 4; i++)
		agent_chain_remember(&m->a, frames + 1, all - 1, EPOCH, NODE);
	assert_true(agent_chain_known(&m->a, EPOCH, &node));
}

/* Of the set that has a chain. */
static struct agent_chain_set *used_set(struct agent_shared *s)
{
	for (uint32_t i = 0; i < AGENT_CHAIN_SETS; i++)
		for (uint32_t k = 0; k < AGENT_CHAIN_WAYS; k++)
			if (s->chains[i].begins[k])
				return &s->chains[i];
	return NULL;
}

static void what_somebody_is_writing_is_neither_read_nor_written(void **state)
{
	struct made *m = *state;
	struct agent_chain_set *set;

	walked(m, NODE);
	walked(m, NODE);
	set = used_set(m->shared);
	assert_non_null(set);
	/* He has been left by a longjmp, perhaps, and never comes back. */
	set->version[0]++;
	assert_false(known(m, NODE));
	for (uint32_t i = 0; i < AGENT_CHAIN_WAYS; i++) {
		set->begins[i] = set->begins[0];
		set->version[i] |= 1;
	}
	for (int i = 0; i < 16; i++)
		walked(m, NODE);
	assert_false(known(m, NODE));
}

static uint64_t rnd = 1;

static uint64_t any(void)
{
	rnd = rnd * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return rnd >> 20;
}

/* The program may write to all of it. Whatever is there, nothing behind the words is read, and node
 * numbers stay in range. */
static void damaged_chains_are_read_within_their_bounds(void **state)
{
	struct made *m = *state;
	uint64_t *big = calloc(UINT16_MAX + 1, sizeof *big);
	uint32_t node = 0, found = 0;

	assert_non_null(big);
	m->a.sp = (uint64_t)(uintptr_t)big;
	m->stack[0] = 0;
	m->n = 1;
	walked(m, NODE);
	walked(m, NODE);
	struct agent_chain_set *set = used_set(m->shared), was = *set;

	for (int i = 0; i < 200000; i++) {
		uint8_t *bytes = (uint8_t *)set;

		*set = was;
		for (unsigned k = 0; k < 1 + any() % 3; k++)
			bytes[any() % (i % 2 ? 96 : sizeof *set)] = (uint8_t)any();
		/* What is behind the last word would be compared, too. */
		if (i % 8 == 0)
			set->way[0].n = (uint32_t)any();
		if (agent_chain_known(&m->a, EPOCH, &node)) {
			found++;
			assert_true(node && node < AGENT_NODES);
		}
	}
	assert_true(found);
	free(big);
}

/* ---- in a program ---- */

static uint64_t last_node;

static NOINLINE void allocate_once(void)
{
	const struct told *t;

	next_block = (void *)0x5000;
	pad_malloc(1);
	t = take_told(program);
	assert_int_equal(program->n, 1);
	last_node = t->r.node;
}

/* From one place, whatever a compiler makes of loops. */
static void allocate_often(void)
{
	for (volatile int i = 0; i < 4; i++)
		allocate_once();
}

static void *call(void *f)
{
	((void (*)(void))(uintptr_t)f)();
	return NULL;
}

static void the_agent_tells_the_node_of_a_known_chain_without_walking(void **state)
{
	struct program *p = *state;
	struct agent_chain_set *set;
	uint64_t true_node;

	as_outermost(call, (void *)(uintptr_t)allocate_often);
	true_node = last_node;
	assert_int_not_equal(true_node, 0);
	set = used_set(p->w.shared);
	assert_non_null(set);
	/* As a walk would not find it. */
	for (uint32_t i = 0; i < AGENT_CHAIN_WAYS; i++)
		set->way[i].node = 4321;
	as_outermost(call, (void *)(uintptr_t)allocate_often);
	assert_int_equal(last_node, 4321);
	p->w.shared->epoch++;
	as_outermost(call, (void *)(uintptr_t)allocate_often);
	assert_int_not_equal(last_node, 4321);
	assert_int_not_equal(last_node, true_node);
}

#define made(f) cmocka_unit_test_setup_teardown(f, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		made(a_chain_is_known_when_it_has_been_walked_twice),
		made(each_word_that_it_follows_from_has_to_be_what_it_was),
		made(a_register_that_no_caller_is_found_by_may_be_another_one),
		made(the_frame_pointer_of_the_beginning_matters_if_a_caller_is_found_by_it),
		made(it_is_of_one_place_one_stack_and_one_epoch),
		made(chains_from_one_place_are_told_apart),
		made(chains_that_begin_alike_are_told_apart_by_their_callers),
		made(a_step_that_more_than_words_decide_is_not_remembered),
		made(a_word_that_is_no_address_of_48_bits_is_not_remembered),
		made(a_chain_of_too_many_words_is_not_remembered),
		made(what_somebody_is_writing_is_neither_read_nor_written),
		made(damaged_chains_are_read_within_their_bounds),
		BOTH(the_agent_tells_the_node_of_a_known_chain_without_walking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
