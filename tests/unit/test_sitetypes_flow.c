/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a returned value goes, in made-up code with made-up variables. */
#include "unit/unit.h"

#include "sitetypes/flow.h"

#include <stdlib.h>
#include <string.h>

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R12 = 12 };

/* Code is at 100, an instruction each number; a function of others at 900. */
enum { CODE = 100, CODE_MAX = 80, OTHER = 900, GLOBAL = 5000 };

/* Types: what tests call them. Members of S are at 8 (A) and, in a union, at 16 (A and B). */
enum { NO_TYPE, A, B, S, A_PTR_PTR, RETURNED };

struct variable {
	taddr low, high;
	struct flow_place at;
	flow_type type;
};

struct made {
	struct arch_flow code[CODE_MAX];
	unsigned n;
	struct variable variables[8];
	unsigned n_variables;
	bool found[N_FLOW_HOW][8];
	unsigned n_found, fetched;
};

static bool fetch(void *ctx, taddr pc, struct arch_flow *f)
{
	struct made *m = ctx;

	if (pc < CODE || pc >= CODE + m->n)
		return false;
	m->fetched++;
	*f = m->code[pc - CODE];
	return true;
}

static unsigned variables(void *ctx, taddr pc, const struct flow_place *at,
			  flow_type types[FLOW_TYPES_MAX])
{
	const struct made *m = ctx;
	unsigned n = 0;

	for (unsigned i = 0; i < m->n_variables; i++) {
		const struct variable *v = &m->variables[i];

		if (pc >= v->low && pc < v->high && v->at.in_memory == at->in_memory &&
		    v->at.reg == at->reg && v->at.offset == at->offset)
			types[n++] = v->type;
	}
	return n;
}

static unsigned members(void *ctx, flow_type pointer, int64_t offset,
			flow_type types[FLOW_TYPES_MAX])
{
	(void)ctx;
	if (pointer != S)
		return 0;
	types[0] = offset == 24 ? S : A;
	types[1] = B;
	return offset == 8 || offset == 24 ? 1 : offset == 16 ? 2 : 0;
}

static flow_type element(void *ctx, flow_type pointer)
{
	(void)ctx;
	return pointer == A_PTR_PTR ? A : NO_TYPE;
}

static flow_type global(void *ctx, taddr at)
{
	(void)ctx;
	return at == GLOBAL ? A : at == GLOBAL + 8 ? S : NO_TYPE;
}

static flow_type argument(void *ctx, taddr function, unsigned n)
{
	(void)ctx;
	return function == OTHER && n == 1 ? B : NO_TYPE;
}

static flow_type returned(void *ctx)
{
	(void)ctx;
	return RETURNED;
}

static void found(void *ctx, enum flow_how how, flow_type type)
{
	struct made *m = ctx;

	m->n_found += !m->found[how][type];
	m->found[how][type] = true;
}

static void run(struct made *m)
{
	const struct flow_host host = {fetch,	 variables, members, element, global,
				       argument, returned,  found,   m};

	flow_follow(&host, CODE);
}

static void add(struct made *m, struct arch_flow f)
{
	assert_true(m->n < CODE_MAX);
	f.size = 1;
	m->code[m->n++] = f;
}

static void copy(struct made *m, int from, int to)
{
	add(m, (struct arch_flow){ARCH_FLOW_COPY, .from = from, .to = to, .writes = 1u << to});
}

static void load(struct made *m, int base, int64_t offset, int to)
{
	add(m, (struct arch_flow){ARCH_FLOW_LOAD, .at = {base, false, offset}, .to = to,
				  .writes = 1u << to});
}

static void store(struct made *m, int from, int base, int64_t offset)
{
	add(m, (struct arch_flow){ARCH_FLOW_STORE, .from = from, .at = {base, false, offset}});
}

static void writes(struct made *m, int reg)
{
	add(m, (struct arch_flow){ARCH_FLOW_OTHER, .writes = 1u << reg});
}

static void goes(struct made *m, enum arch_flow_kind kind, taddr target)
{
	add(m, (struct arch_flow){kind, .target = target,
				  .writes = kind == ARCH_FLOW_CALL ? arch_flow_lost : 0});
}

static void variable(struct made *m, taddr low, taddr high, struct flow_place at, flow_type type)
{
	m->variables[m->n_variables++] = (struct variable){low, high, at, type};
}

static void only(const struct made *m, enum flow_how how, flow_type type)
{
	assert_true(m->found[how][type]);
	assert_int_equal(m->n_found, 1);
}

static void test_a_variable(void **state)
{
	(void)state;
	struct made m = {0};

	copy(&m, RAX, RBX);
	writes(&m, RAX);
	goes(&m, ARCH_FLOW_RETURN, 0);
	/* It is there when the next instruction is reached, not before. */
	variable(&m, CODE + 2, CODE + 3, (struct flow_place){.reg = RBX}, A);
	variable(&m, CODE + 2, CODE + 3, (struct flow_place){.reg = RAX}, B);
	run(&m);
	only(&m, FLOW_VARIABLE, A);
	assert_false(m.found[FLOW_RETURNED][RETURNED]);
}

static void test_a_variable_on_the_stack(void **state)
{
	(void)state;
	struct made m = {0};

	store(&m, RAX, RBP, -8);
	writes(&m, RAX);
	load(&m, RBP, -8, RCX);
	goes(&m, ARCH_FLOW_STOP, 0);
	variable(&m, CODE + 1, CODE + 2, (struct flow_place){true, RBP, -8}, A);
	variable(&m, CODE + 3, CODE + 4, (struct flow_place){.reg = RCX}, B);
	run(&m);
	assert_true(m.found[FLOW_VARIABLE][A] && m.found[FLOW_VARIABLE][B]);
}

static void test_what_was_overwritten_is_gone(void **state)
{
	(void)state;
	struct made m = {0};

	store(&m, RAX, RSP, 8);
	writes(&m, RAX);
	store(&m, RDX, RSP, 8);
	load(&m, RSP, 8, RCX);
	goes(&m, ARCH_FLOW_STOP, 0);
	variable(&m, CODE, CODE + 9, (struct flow_place){.reg = RCX}, A);
	run(&m);
	assert_int_equal(m.n_found, 0);
	/* And slots, when the stack pointer is another. */
	m = (struct made){0};
	store(&m, RAX, RSP, 8);
	writes(&m, RAX);
	writes(&m, RSP);
	load(&m, RSP, 8, RCX);
	goes(&m, ARCH_FLOW_STOP, 0);
	variable(&m, CODE, CODE + 9, (struct flow_place){.reg = RCX}, A);
	run(&m);
	assert_int_equal(m.n_found, 0);
}

static void test_members(void **state)
{
	(void)state;
	struct made m = {0};

	store(&m, RAX, RBX, 8);
	goes(&m, ARCH_FLOW_STOP, 0);
	variable(&m, CODE, CODE + 9, (struct flow_place){.reg = RBX}, S);
	run(&m);
	only(&m, FLOW_MEMBER, A);
	/* Of a union all that fit. */
	m.code[0].at.offset = 16;
	run(&m);
	assert_true(m.found[FLOW_MEMBER][B]);
	/* Of what was loaded from a member, or a global variable. */
	m = (struct made){0};
	load(&m, ARCH_FLOW_NO_REG, GLOBAL + 8, RDX);
	load(&m, RDX, 24, RCX);
	store(&m, RAX, RCX, 8);
	goes(&m, ARCH_FLOW_STOP, 0);
	run(&m);
	only(&m, FLOW_MEMBER, A);
	/* An element, wherever it is. */
	m = (struct made){0};
	store(&m, RAX, RBX, 0);
	m.code[0].at.indexed = true;
	goes(&m, ARCH_FLOW_STOP, 0);
	variable(&m, CODE, CODE + 9, (struct flow_place){.reg = RBX}, A_PTR_PTR);
	run(&m);
	only(&m, FLOW_MEMBER, A);
}

static void test_a_global(void **state)
{
	(void)state;
	struct made m = {0};

	store(&m, RAX, ARCH_FLOW_NO_REG, GLOBAL);
	goes(&m, ARCH_FLOW_STOP, 0);
	run(&m);
	only(&m, FLOW_GLOBAL, A);
}

static void test_arguments(void **state)
{
	(void)state;
	struct made m = {0};

	copy(&m, RAX, RSI);
	goes(&m, ARCH_FLOW_CALL, OTHER);
	/* A call leaves nothing of what it may change. */
	store(&m, RSI, ARCH_FLOW_NO_REG, GLOBAL);
	goes(&m, ARCH_FLOW_STOP, 0);
	run(&m);
	only(&m, FLOW_ARGUMENT, B);
	/* A jump out of the function is a call. */
	m = (struct made){0};
	copy(&m, RAX, RSI);
	goes(&m, ARCH_FLOW_JUMP, OTHER);
	run(&m);
	only(&m, FLOW_ARGUMENT, B);
}

static void test_what_is_returned(void **state)
{
	(void)state;
	struct made m = {0};

	copy(&m, RAX, R12);
	goes(&m, ARCH_FLOW_CALL, OTHER);
	copy(&m, R12, RAX);
	goes(&m, ARCH_FLOW_RETURN, 0);
	run(&m);
	only(&m, FLOW_RETURNED, RETURNED);
	assert_true(m.found[FLOW_RETURNED][RETURNED]);
	/* Something else is. */
	m.code[2] = (struct arch_flow){ARCH_FLOW_OTHER, .size = 1, .writes = 1u << RAX};
	m.n_found = 0;
	memset(m.found, 0, sizeof m.found);
	run(&m);
	assert_int_equal(m.n_found, 0);
	assert_false(m.found[FLOW_RETURNED][RETURNED]);
}

static void test_both_ways(void **state)
{
	(void)state;
	struct made m = {0};

	goes(&m, ARCH_FLOW_BRANCH, CODE + 3);
	store(&m, RAX, ARCH_FLOW_NO_REG, GLOBAL);
	goes(&m, ARCH_FLOW_STOP, 0);
	copy(&m, RAX, RSI);
	goes(&m, ARCH_FLOW_CALL, OTHER);
	goes(&m, ARCH_FLOW_STOP, 0);
	run(&m);
	assert_true(m.found[FLOW_GLOBAL][A] && m.found[FLOW_ARGUMENT][B]);
}

static void test_it_ends(void **state)
{
	(void)state;
	struct made m = {0};

	/* A loop. */
	goes(&m, ARCH_FLOW_BRANCH, CODE);
	goes(&m, ARCH_FLOW_JUMP, CODE);
	run(&m);
	assert_in_range(m.fetched, 1, 6);
	/* Branches that lead to branches. */
	m = (struct made){0};
	for (int i = 0; i < CODE_MAX; i++)
		goes(&m, ARCH_FLOW_BRANCH, CODE + (taddr)(i * 7 + 3) % CODE_MAX);
	run(&m);
	assert_in_range(m.fetched, 1, 2 * FLOW_STEPS_MAX);
	/* More slots than are kept. */
	m = (struct made){0};
	for (int i = 0; i < 40; i++)
		store(&m, RAX, RSP, 8 * i);
	goes(&m, ARCH_FLOW_RETURN, 0);
	run(&m);
	assert_true(m.found[FLOW_RETURNED][RETURNED]);
	/* Nowhere. */
	m = (struct made){0};
	run(&m);
	assert_int_equal(m.n_found, 0);
}

/* Any code at all. */
static void test_random_code(void **state)
{
	(void)state;
	srandom(1);
	for (int round = 0; round < 3000; round++) {
		struct made m = {0};

		for (int i = 0; i < 70; i++)
			add(&m,
			    (struct arch_flow){
				    .kind = (enum arch_flow_kind)(random() % (ARCH_FLOW_STOP + 1)),
				    .from = (int)(random() % ARCH_FLOW_REGS),
				    .to = (int)(random() % ARCH_FLOW_REGS),
				    .at = {(int)(random() % 17) - 1, random() % 4 == 0,
					   random() % 5 * 8},
				    .target = random() % 3 ? CODE + (taddr)(random() % 80)
							   : (taddr)(random() % 1000),
				    .writes = (uint32_t)(1 << random() % 16)});
		variable(&m, CODE, CODE + 80, (struct flow_place){.reg = RBX}, S);
		variable(&m, CODE, CODE + 80, (struct flow_place){true, RSP, 8}, A);
		run(&m);
		assert_in_range(m.fetched, 0, 3 * FLOW_STEPS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_variable),
		cmocka_unit_test(test_a_variable_on_the_stack),
		cmocka_unit_test(test_what_was_overwritten_is_gone),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_a_global),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_what_is_returned),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_it_ends),
		cmocka_unit_test(test_random_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
