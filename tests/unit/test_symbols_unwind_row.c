/* SPDX-License-Identifier: BSD-2-Clause */
/* What a row means (include/unwind_row.h): a step of each kind, over made-up memory. */
#include "unit/unit.h"

#include "lib/random.h"
#include "unwind_row.h"

#include <string.h>

#define STACK 0x7000
#define WORDS 64

struct memory {
	uint64_t word[WORDS];	/* from STACK on */
};

static bool read_word(void *ctx, uint64_t at, uint64_t *word)
{
	const struct memory *m = ctx;

	if (at < STACK || at % 8 || (at - STACK) / 8 >= WORDS)
		return false;
	*word = m->word[(at - STACK) / 8];
	return true;
}

/* Word n holds 1000 + n, but for those that lead back to the stack. */
static struct memory numbered(void)
{
	struct memory m;

	for (unsigned i = 0; i < WORDS; i++)
		m.word[i] = 1000 + i;
	return m;
}

static uint16_t number(int n, uint16_t mask)
{
	return (uint16_t)n & mask;
}

static uint16_t cfa(enum unwind_cfa kind, int n)
{
	return (uint16_t)(kind | number(n, UNWIND_CFA_NUMBER));
}

static uint16_t fp(enum unwind_fp kind, int n)
{
	return (uint16_t)(kind | number(n, UNWIND_FP_NUMBER));
}

static const struct unwind_frame here = { .pc = 0x400005, .sp = STACK + 8, .fp = STACK + 80 };

/* One step from @here must lead to @caller. */
static void leads_to(uint16_t row_cfa, uint16_t row_fp, const struct memory *m,
		     enum unwind_step expected, struct unwind_frame caller, uint64_t fp_at)
{
	struct unwind_frame f = here;
	struct memory copy = *m;
	uint64_t at = 1;

	assert_int_equal(unwind_row_step(row_cfa, row_fp, &f, &at, read_word, &copy), expected);
	assert_int_equal(f.pc, caller.pc);
	assert_int_equal(f.sp, caller.sp);
	assert_int_equal(f.fp, caller.fp);
	assert_int_equal(at, fp_at);
}

/* It leads nowhere, and nothing is changed. */
static void leads_nowhere(uint16_t row_cfa, uint16_t row_fp, const struct memory *m,
			  enum unwind_step expected)
{
	leads_to(row_cfa, row_fp, m, expected, here, 1);
}

static void the_stack_pointer_tells(void **state)
{
	struct memory m = numbered();

	(void)state;
	leads_to(1, UNWIND_FP_KEPT, &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1001, STACK + 16, here.fp }, 0);
	leads_to(5, fp(UNWIND_FP_AT_CFA, -2), &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1005, STACK + 48, 1004 }, STACK + 32);
	leads_to(5, fp(UNWIND_FP_AT_BASE, 2), &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1005, STACK + 48, 1003 }, STACK + 24);
	leads_to(5, UNWIND_FP_LOST, &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1005, STACK + 48, 0 }, 0);
	/* the farthest that a row can say */
	leads_nowhere(0x7fff, UNWIND_FP_KEPT, &m, UNWIND_UNREADABLE);
	leads_nowhere(5, fp(UNWIND_FP_AT_CFA, -0x2000), &m, UNWIND_UNREADABLE);
	leads_nowhere(5, fp(UNWIND_FP_AT_CFA, 0x1fff), &m, UNWIND_UNREADABLE);
}

static void the_frame_pointer_tells(void **state)
{
	struct memory m = numbered();

	(void)state;
	leads_to(cfa(UNWIND_CFA_FP, 2), fp(UNWIND_FP_AT_CFA, -2), &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1011, STACK + 96, 1010 }, STACK + 80);
	leads_to(cfa(UNWIND_CFA_FP, -2), fp(UNWIND_FP_AT_BASE, 1), &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1007, STACK + 64, 1011 }, STACK + 88);
	leads_nowhere(cfa(UNWIND_CFA_FP, -0x800), 0, &m, UNWIND_UNREADABLE);
}

static void memory_tells(void **state)
{
	struct memory m = numbered();

	(void)state;
	m.word[9] = STACK + 160;	/* one word below the frame pointer: gcc's DRAP */
	leads_to(cfa(UNWIND_CFA_AT_FP, -1), fp(UNWIND_FP_AT_BASE, 0), &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1019, STACK + 160, 1010 }, STACK + 80);
	m.word[6] = STACK + 160;	/* five words above the stack pointer */
	leads_to(cfa(UNWIND_CFA_AT_SP, 5), fp(UNWIND_FP_AT_CFA, -2), &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1020, STACK + 168, 1019 }, STACK + 152);
	leads_nowhere(cfa(UNWIND_CFA_AT_FP, 0), 0, &m, UNWIND_UNREADABLE);
	leads_nowhere(cfa(UNWIND_CFA_AT_SP, 100), 0, &m, UNWIND_UNREADABLE);
}

static void the_place_in_a_stub_tells(void **state)
{
	struct memory m = numbered();

	(void)state;
	/* the pc is the sixth byte of 16 */
	leads_to(cfa(UNWIND_CFA_STUB, 6), 0, &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1001, STACK + 16, here.fp }, 0);
	leads_to(cfa(UNWIND_CFA_STUB, 5), 0, &m, UNWIND_CALLER,
		 (struct unwind_frame){ 1002, STACK + 24, here.fp }, 0);
}

static void a_signal_has_interrupted_the_caller(void **state)
{
	struct memory m = numbered();

	(void)state;
	m.word[21] = STACK + 400;
	leads_to(cfa(UNWIND_CFA_SIGNAL, 20), fp(UNWIND_FP_AT_BASE, 15), &m, UNWIND_INTERRUPTED,
		 (struct unwind_frame){ 1022, STACK + 400, 1016 }, STACK + 128);
	/* the stack pointer may be anything: it is not read from */
	m.word[21] = 3;
	leads_to(cfa(UNWIND_CFA_SIGNAL, 20), 0, &m, UNWIND_INTERRUPTED,
		 (struct unwind_frame){ 1022, 3, here.fp }, 0);
	leads_nowhere(cfa(UNWIND_CFA_SIGNAL, 62), 0, &m, UNWIND_UNREADABLE);
	leads_nowhere(cfa(UNWIND_CFA_SIGNAL, 63), 0, &m, UNWIND_UNREADABLE);
}

static void there_is_no_caller(void **state)
{
	struct memory m = numbered();

	(void)state;
	leads_nowhere(UNWIND_CFA_END, 0, &m, UNWIND_END);
	leads_nowhere(UNWIND_CFA_NONE, 0, &m, UNWIND_UNKNOWN);
	leads_nowhere(UNWIND_CFA_UNSAID, 0, &m, UNWIND_UNKNOWN);
}

/* No address is computed in a way that C does not define, whatever is in the registers. */
static void registers_may_hold_anything(void **state)
{
	static const uint64_t values[] = { 0, 1, 7, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1,
					   UINT64_MAX - 7, STACK };
	struct memory m = numbered();
	unsigned n = sizeof values / sizeof *values;

	(void)state;
	for (unsigned i = 0; i < n * n << 16; i += 0x1ff) {
		struct unwind_frame f = { 5, values[(i >> 16) / n], values[(i >> 16) % n] };
		struct unwind_frame was = f;
		uint64_t at = 0;
		enum unwind_step step = unwind_row_step((uint16_t)i, (uint16_t)random_word(), &f,
							&at, read_word, &m);

		if (step != UNWIND_CALLER && step != UNWIND_INTERRUPTED)
			assert_memory_equal(&f, &was, sizeof f);
		else
			assert_in_range(f.pc, 1000, 1000 + WORDS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stack_pointer_tells),
		cmocka_unit_test(the_frame_pointer_tells),
		cmocka_unit_test(memory_tells),
		cmocka_unit_test(the_place_in_a_stub_tells),
		cmocka_unit_test(a_signal_has_interrupted_the_caller),
		cmocka_unit_test(there_is_no_caller),
		cmocka_unit_test(registers_may_hold_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
