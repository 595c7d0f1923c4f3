/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains on a simulated machine with known frames: functions that keep the frame pointer, that save
 * it and use the register for something else, and whose frame is found by it.
 */
#include "unit/unit.h"

#include "unit/agent_fixture.h"
#include "unwind_row.h"

enum { FUNCTIONS = 12, PLACES = 3, DEPTH = 24, WORDS = 512, THREAD = AGENT_SPARES + 1, TURN = 2 };

enum kind { KEEPS, SAVES, BY_FP, KINDS };

struct machine {
	struct agent_shared *shared;
	uint64_t stack[WORDS];
	uint64_t sp, fp;
	struct call {
		unsigned function;
		uint64_t sp;	   /* as the function has it while it calls */
		uint64_t callers_fp;
		uint64_t pc;	   /* where its callee returns to */
	} calls[DEPTH]; /* outermost first */
	unsigned n;
};

static uint64_t rnd = 7;

static unsigned any(unsigned below)
{
	rnd = rnd * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(rnd >> 33) % below;
}

static enum kind kind_of(unsigned function)
{
	return function % KINDS;
}

static unsigned locals_of(unsigned function)
{
	return 1 + function % 5;
}

static uint64_t pc_of(unsigned function, unsigned place)
{
	return 0x1000 + function * 64 + place * 16;
}

static void tell_row(struct agent_shared *s, uint64_t pc, unsigned cfa, unsigned fp)
{
	s->rows[(pc - 1) % AGENT_ROW_SLOTS] =
		(pc - 1) / AGENT_ROW_SLOTS << 32 | (uint64_t)cfa << 16 | fp;
}

/* Function 0 is where a thread begins. */
static void tell_rows(struct agent_shared *s)
{
	const unsigned saved = UNWIND_FP_AT_CFA | (-2 & UNWIND_FP_NUMBER);

	for (unsigned f = 0; f < FUNCTIONS; f++)
		for (unsigned place = 0; place < PLACES; place++) {
			uint64_t pc = pc_of(f, place);

			if (!f)
				tell_row(s, pc, UNWIND_CFA_END, 0);
			else if (kind_of(f) == KEEPS)
				tell_row(s, pc, locals_of(f) + 1, UNWIND_FP_KEPT);
			else if (kind_of(f) == SAVES)
				tell_row(s, pc, locals_of(f) + 2, saved);
			else
				tell_row(s, pc, UNWIND_CFA_FP | 2, saved);
		}
}

static int make(void **state)
{
	struct machine *m = calloc(1, sizeof *m);

	assert_non_null(m);
	m->shared = new_shared();
	tell_rows(m->shared);
	m->shared->ranges[0] = (struct agent_range){ (uintptr_t)m->stack,
						     (uintptr_t)(m->stack + WORDS) };
	m->shared->n_ranges = 1;
	m->shared->ranges_turn = TURN;
	m->sp = (uintptr_t)(m->stack + WORDS - 8);
	m->n = 1;
	m->calls[0] = (struct call){ .sp = m->sp, .pc = pc_of(0, 0) };
	*state = m;
	return 0;
}

static int unmake(void **state)
{
	struct machine *m = *state;

	free_shared(m->shared);
	free(m);
	return 0;
}

static void push(struct machine *m, uint64_t word)
{
	m->sp -= sizeof word;
	m->stack[(m->sp - (uintptr_t)m->stack) / sizeof word] = word;
}

/* By the innermost function, which then may call others from some places of it. */
static void call(struct machine *m, unsigned function)
{
	struct call *c = &m->calls[m->n];

	*c = (struct call){ .function = function, .callers_fp = m->fp };
	push(m, m->calls[m->n - 1].pc);
	if (kind_of(function) != KEEPS)
		push(m, m->fp);
	if (kind_of(function) == SAVES)
		m->fp = any(1000);
	if (kind_of(function) == BY_FP)
		m->fp = m->sp;
	for (unsigned i = 0; i < locals_of(function); i++)
		push(m, any(1000));
	c->sp = m->sp;
	c->pc = pc_of(function, 0);
	m->n++;
}

static void go_back(struct machine *m)
{
	m->fp = m->calls[--m->n].callers_fp;
	m->sp = m->calls[m->n - 1].sp;
}

/* Inside of the innermost function. */
static void go_on(struct machine *m)
{
	struct call *c = &m->calls[m->n - 1];

	c->pc = pc_of(c->function, any(PLACES));
	if (m->n > 1 && kind_of(c->function) == SAVES)
		m->fp = any(1000);
}

static void wander(struct machine *m)
{
	for (unsigned steps = any(6); steps; steps--) {
		if (m->n > 1 && (m->n == DEPTH || any(2)))
			go_back(m);
		else
			call(m, 1 + any(FUNCTIONS - 1));
		go_on(m);
	}
}

/* As a pad in the innermost function does that calls the allocator. */
static void walk(struct machine *m, struct agent_chain *out)
{
	struct agent_thread *t = &m->shared->threads[THREAD];
	struct activation a = {
		.shared = m->shared, .pc = m->calls[m->n - 1].pc, .sp = m->sp, .fp = m->fp,
		.own = t, .record = t, .own_number = THREAD, .number = THREAD,
	};

	agent_walk(&a, true, false, out);
}

static void assert_chain(const struct machine *m, const struct agent_chain *chain)
{
	const struct agent_node *nodes = m->shared->nodes;
	uint32_t node = chain->node;

	assert_true(chain->whole);
	for (unsigned i = m->n; i; i--) {
		assert_int_equal(nodes[node].pc, m->calls[i - 1].pc);
		node = nodes[node].parent;
	}
	assert_int_equal(nodes[node].pc, ROOT_WHOLE);
}

static void every_chain_is_the_true_one_whatever_a_register_holds(void **state)
{
	struct machine *m = *state;
	struct agent_chain chain;

	for (int i = 0; i < 200000; i++) {
		wander(m);
		walk(m, &chain);
		assert_chain(m, &chain);
	}
}

/* How many frames the next walk goes through anew. */
static unsigned frames_anew(struct machine *m)
{
	struct agent_thread *t = &m->shared->threads[THREAD];
	struct agent_chain chain;
	unsigned n = 0;

	memset(t->fresh, 0, sizeof t->fresh);
	walk(m, &chain);
	assert_chain(m, &chain);
	while (n + 1 < AGENT_NEW_FRAMES && t->fresh[n + 1].pc)
		n++;
	return n;
}

/* Far out is a function that has another value in the register each time. */
static void a_register_that_matters_to_nobody_makes_no_frame_new(void **state)
{
	struct machine *m = *state;
	const unsigned keeps = 3, saves = 4;

	call(m, saves);
	for (int i = 0; i < 10; i++)
		call(m, keeps);
	assert_int_equal(frames_anew(m), m->n);
	m->fp++;
	m->calls[m->n - 1].pc = pc_of(keeps, 1);
	assert_int_equal(frames_anew(m), 1);
}

/* The same register, but a frame farther out is found by it. */
static void a_caller_by_another_frame_pointer_is_found(void **state)
{
	struct machine *m = *state;
	const unsigned keeps = 3, saves = 4, by_fp = 5;
	uint64_t sp;
	struct agent_chain chain;

	call(m, saves);
	call(m, keeps);
	call(m, keeps);
	m->fp++;
	walk(m, &chain);
	assert_chain(m, &chain);
	/* As high as before, but for the words of locals. */
	sp = m->sp;
	go_back(m);
	go_back(m);
	go_back(m);
	call(m, by_fp);
	while (m->sp > sp)
		call(m, keeps);
	walk(m, &chain);
	assert_chain(m, &chain);
}

#define made(f) cmocka_unit_test_setup_teardown(f, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		made(every_chain_is_the_true_one_whatever_a_register_holds),
		made(a_register_that_matters_to_nobody_makes_no_frame_new),
		made(a_caller_by_another_frame_pointer_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
