/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random functions are run unchanged, and with a jump in the place of their first instructions:
 * registers, flags, stack and data must be the same. What the plan refuses is counted by
 * reason.
 */
#include "unit/unit.h"
#include "unit/test_arch_x86_64_run.h"
#include "lib/random.h"
#include "arch/patch.h"

#include <errno.h>

#define CODE_AT 0x300000000000u /* functions, and data that they name relative to the pc */
#define DATA_AT (CODE_AT + 0x10000)
#define STACK_AT (CODE_AT + 0x20000)
#define MAP_SIZE 0x30000
#define NEAR_BELOW (CODE_AT - 0x30000000u)
#define NEAR_ABOVE (CODE_AT + 0x3f000000u)
#define DATA_SIZE 256
#define STACK_SIZE 2048
#define STACK_TOP (STACK_AT + 1024)

enum {
	FUNCTIONS = 100000,
	INSNS_MAX = 24,
	PROLOGUE_MAX = 5,
	FRAME = 64, /* bytes of the stack that a function may use, below its return address */
	LOOPS = 14, /* r14 counts loops, and nothing else changes it */
};

/* A function while it is made. */
struct maker {
	uint8_t code[512];
	size_t n;
	size_t starts[INSNS_MAX + 1]; /* where its instructions begin */
	unsigned n_insns;
	struct {
		size_t at, size;
		unsigned to;
	} branches[INSNS_MAX]; /* displacements, and to which one */
	unsigned n_branches;
	uint8_t pushed[PROLOGUE_MAX];
	unsigned n_pushed;
	bool frame;  /* it has lowered the stack pointer */
	size_t body; /* the first instruction that may be branched to */
	taddr at;
};

static void put(struct maker *m, const void *bytes, size_t n)
{
	memcpy(m->code + m->n, bytes, n);
	m->n += n;
}

#define PUT(m, ...)                                                                                \
	put(m, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void put32(struct maker *m, uint32_t v)
{
	put(m, &v, sizeof v);
}

static void begin_insn(struct maker *m)
{
	m->starts[m->n_insns++] = m->n;
}

/* A register that may be changed: not the stack pointer, and not the counter of loops. */
static unsigned any_reg(void)
{
	unsigned r;

	do
		r = (unsigned)random_below(16);
	while (r == RUN_RSP || r == LOOPS);
	return r;
}

static uint8_t rex_w(unsigned reg, unsigned rm)
{
	return (uint8_t)(0x48 | (reg >> 3) << 2 | rm >> 3);
}

static uint8_t modrm(unsigned reg, unsigned rm)
{
	return (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7));
}

/* ---- instructions that compute ---- */

static void two_registers(struct maker *m)
{
	/* add or and sub xor cmp test xchg mov, adc sbb */
	static const uint8_t ops[] = { 0x01, 0x09, 0x21, 0x29, 0x31, 0x39,
				       0x85, 0x87, 0x89, 0x11, 0x19 };
	unsigned reg = any_reg(), rm = any_reg();
	uint8_t rex = rex_w(reg, rm);

	if (random_below(2))
		PUT(m, rex);
	else if ((rex & 0xf7) != 0x40)
		PUT(m, rex & 0xf7); /* 32 bits */
	PUT(m, ops[random_below(sizeof ops)], modrm(reg, rm));
}

static void with_immediate(struct maker *m)
{
	unsigned rm = any_reg(), what = (unsigned)random_below(8);

	if (random_below(2)) {
		PUT(m, rex_w(0, rm), 0x83, modrm(what, rm), (uint8_t)random_word());
		return;
	}
	PUT(m, rex_w(0, rm), 0x81, modrm(what, rm));
	put32(m, (uint32_t)random_word());
}

static void of_one_register(struct maker *m)
{
	unsigned rm = any_reg();

	switch (random_below(6)) {
	case 0:
		PUT(m, rex_w(0, rm), 0xff, modrm((unsigned)random_below(2), rm)); /* inc, dec */
		break;
	case 1:
		PUT(m, rex_w(0, rm), 0xf7, modrm(2 + (unsigned)random_below(2), rm)); /* not, neg */
		break;
	case 2:
		PUT(m, rex_w(0, rm), 0xc1, modrm(4, rm), (uint8_t)random_below(64)); /* shl */
		break;
	case 3:
		PUT(m, rex_w(0, rm), 0x0f, (uint8_t)(0xc8 | (rm & 7))); /* bswap */
		break;
	case 4: /* setcc */
		PUT(m, rex_w(0, rm), 0x0f, (uint8_t)(0x90 | random_below(16)), modrm(0, rm));
		break;
	default: { /* movabs */
		uint64_t v = random_word();

		PUT(m, rex_w(0, rm), (uint8_t)(0xb8 | (rm & 7)));
		put(m, &v, sizeof v);
	}
	}
}

static void without_operands(struct maker *m)
{
	static const uint8_t ops[] = { 0x90, 0xf5, 0xf8, 0xf9, 0x9f, 0x9e, 0x98, 0x99 };

	switch (random_below(4)) {
	case 0:
		PUT(m, 0x0f, 0x1f, 0x44, 0, 0); /* a nop of 5 bytes */
		break;
	case 1:
		PUT(m, 0x48, 0xf7, 0xe6); /* mul %rsi */
		break;
	default: /* nop cmc clc stc lahf sahf cwtl cltd */
		PUT(m, ops[random_below(sizeof ops)]);
	}
}

static void cmov(struct maker *m)
{
	unsigned reg = any_reg(), rm = any_reg();

	PUT(m, rex_w(reg, rm), 0x0f, (uint8_t)(0x40 | random_below(16)), modrm(reg, rm));
}

/* mov, add or lea between a register and the frame, or the red zone if there is none. */
static void of_the_stack(struct maker *m)
{
	static const uint8_t ops[] = { 0x89, 0x8b, 0x01, 0x03, 0x8d };
	unsigned reg = any_reg();
	int offset = 8 * (int)random_below(FRAME / 8);

	PUT(m, rex_w(reg, 0), ops[random_below(sizeof ops)], (uint8_t)(0x44 | (reg & 7) << 3), 0x24,
	    (uint8_t)(m->frame ? offset : -FRAME + offset));
}

/* What the pc names: data, before it and behind it. */
static void relative(struct maker *m)
{
	static const uint8_t ops[] = { 0x89, 0x8b, 0x8d, 0x39, 0x01 };
	taddr data = DATA_AT + 8 * random_below(DATA_SIZE / 8);
	unsigned reg = any_reg();

	if (random_below(3)) {
		PUT(m, rex_w(reg, 0), ops[random_below(sizeof ops)],
		    (uint8_t)(0x05 | (reg & 7) << 3));
		put32(m, (uint32_t)(data - (m->at + m->n + 4)));
	} else { /* cmpb: a byte comes behind the distance */
		PUT(m, 0x80, 0x3d);
		put32(m, (uint32_t)(data - (m->at + m->n + 5)));
		PUT(m, (uint8_t)random_word());
	}
}

static void compute(struct maker *m)
{
	static void (*const kinds[])(struct maker *) = {
		two_registers,	  two_registers, with_immediate, of_one_register,
		without_operands, cmov,		 of_the_stack,	 relative,
	};

	begin_insn(m);
	kinds[random_below(sizeof kinds / sizeof *kinds)](m);
}

/* ---- instructions that lead somewhere ---- */

static void note_branch(struct maker *m, size_t size, unsigned to)
{
	m->branches[m->n_branches].at = m->n - size;
	m->branches[m->n_branches].size = size;
	m->branches[m->n_branches++].to = to;
}

/* jcc or jmp to instruction @to, which has not been made yet; or jrcxz, which has no near form. */
static void forward(struct maker *m, unsigned to)
{
	begin_insn(m);
	switch (random_below(8)) {
	case 0:
		PUT(m, 0xeb, 0);
		note_branch(m, 1, to);
		break;
	case 1:
		PUT(m, 0xe9, 0, 0, 0, 0);
		note_branch(m, 4, to);
		break;
	case 2:
		PUT(m, 0xe3, 0);
		note_branch(m, 1, to);
		break;
	case 3:
	case 4:
		PUT(m, 0x0f, (uint8_t)(0x80 | random_below(16)), 0, 0, 0, 0);
		note_branch(m, 4, to);
		break;
	default:
		PUT(m, (uint8_t)(0x70 | random_below(16)), 0);
		note_branch(m, 1, to);
	}
}

/* dec %r14; jg: it ends when the counter is used up. Nobody branches to what is between the two. */
static void loop_back(struct maker *m, unsigned to)
{
	begin_insn(m);
	PUT(m, 0x49, 0xff, 0xce);
	if (random_below(2)) {
		PUT(m, 0x7f, 0);
		note_branch(m, 1, to);
	} else {
		PUT(m, 0x0f, 0x8f, 0, 0, 0, 0);
		note_branch(m, 4, to);
	}
}

static void epilogue(struct maker *m)
{
	begin_insn(m);
	if (m->frame)
		PUT(m, 0x48, 0x8d, 0x64, 0x24, FRAME); /* lea, which leaves the flags alone */
	for (unsigned i = m->n_pushed; i-- > 0;) {
		if (m->pushed[i] >= 8)
			PUT(m, 0x41);
		PUT(m, (uint8_t)(0x58 | (m->pushed[i] & 7)));
	}
	PUT(m, 0xc3);
}

/* What may never be run, and is to be refused: it stands where the jump would. */
static void never_to_be_moved(struct maker *m)
{
	begin_insn(m);
	switch (random_below(6)) {
	case 0:
		PUT(m, 0xcc);
		break;
	case 1:
		PUT(m, 0x0f, 0x05);
		break;
	case 2:
		PUT(m, 0xe8, 0, 0, 0, 0);
		break;
	case 3:
		PUT(m, 0xff, 0xd0);
		break;
	case 4:
		PUT(m, 0xe2, 0);
		break;
	default:
		PUT(m, 0x06);
	}
}

/* ---- functions ---- */

static void prologue(struct maker *m)
{
	unsigned pushes = random_below(2) ? (unsigned)random_below(PROLOGUE_MAX) : 0;

	for (unsigned i = 0; i < pushes; i++) {
		uint8_t r = (uint8_t)any_reg();

		if (!random_below(4))
			compute(m);
		begin_insn(m);
		if (r >= 8)
			PUT(m, 0x41);
		PUT(m, (uint8_t)(0x50 | (r & 7)));
		m->pushed[m->n_pushed++] = r;
	}
	if (pushes && random_below(2)) {
		begin_insn(m);
		PUT(m, 0x48, 0x8d, 0x64, 0x24, (uint8_t)-FRAME);
		m->frame = true;
	}
	m->body = m->n_insns;
}

/* Branches lead to instructions of the body, forward, or back in a loop. */
static void body(struct maker *m)
{
	unsigned end = (unsigned)m->body + 2 + (unsigned)random_below(10);

	while (m->n_insns < end) {
		unsigned what = (unsigned)random_below(16);

		if (what < 4)
			forward(m, m->n_insns + 1 + (unsigned)random_below(end - m->n_insns));
		else if (what == 4)
			loop_back(m, (unsigned)m->body +
					     (unsigned)random_below(m->n_insns - m->body + 1));
		else if (what == 5 && m->n < 4 && !random_below(4))
			never_to_be_moved(m);
		else
			compute(m);
	}
	epilogue(m);
}

static void resolve_branches(struct maker *m)
{
	for (unsigned i = 0; i < m->n_branches; i++) {
		size_t at = m->branches[i].at, size = m->branches[i].size;
		int32_t distance = (int32_t)m->starts[m->branches[i].to] - (int32_t)(at + size);

		memcpy(m->code + at, &distance, size); /* little-endian: the low byte is first */
		if (size == 1)
			assert_in_range(distance + 128, 0, 255);
	}
}

static void make_function(struct maker *m)
{
	*m = (struct maker){ .at = CODE_AT + 64 * random_below(512) + random_below(64) };
	if (!random_below(3))
		PUT(m, 0xf3, 0x0f, 0x1e, 0xfa);
	if (!random_below(20)) { /* too short */
		begin_insn(m);
		PUT(m, 0xc3);
		return;
	}
	prologue(m);
	body(m);
	resolve_branches(m);
}

/* ---- running ---- */

struct result {
	struct run_state regs;
	uint8_t stack[STACK_SIZE], data[DATA_SIZE];
};

static uint8_t *memory(taddr at)
{
	return (uint8_t *)(uintptr_t)at;
}

static struct result random_result(void)
{
	struct result r;
	uint64_t *words = (uint64_t *)r.stack;

	for (unsigned i = 0; i < RUN_REGS; i++)
		r.regs.regs[i] = random_below(4) ? random_word() : random_below(3);
	r.regs.regs[RUN_RSP] = STACK_TOP;
	r.regs.regs[LOOPS] = random_below(4);
	r.regs.flags = 0x202 | (random_word() & RUN_STATUS);
	for (unsigned i = 0; i < STACK_SIZE / 8; i++)
		words[i] = random_word();
	for (unsigned i = 0; i < DATA_SIZE; i++)
		r.data[i] = (uint8_t)random_word();
	return r;
}

/* From @before, the code at @entry. */
static struct result run(taddr entry, const struct result *before)
{
	struct result after;

	memcpy(memory(STACK_AT), before->stack, STACK_SIZE);
	memcpy(memory(DATA_AT), before->data, DATA_SIZE);
	after.regs = run_code(memory(entry), &before->regs);
	memcpy(after.stack, memory(STACK_AT), STACK_SIZE);
	memcpy(after.data, memory(DATA_AT), DATA_SIZE);
	return after;
}

static void assert_same(const struct maker *m, const struct result *a, const struct result *b)
{
	const char *differs = run_difference(&a->regs, &b->regs);

	if (!differs && memcmp(a->stack, b->stack, STACK_SIZE))
		differs = "the stack";
	if (!differs && memcmp(a->data, b->data, DATA_SIZE))
		differs = "the data";
	if (!differs)
		return;
	for (size_t i = 0; i < m->n; i++)
		print_message("%02x ", m->code[i]);
	fail_msg("another result: %s", differs);
}

static taddr random_slot(void)
{
	return (random_below(2) ? NEAR_BELOW : NEAR_ABOVE) + random_below(4096);
}

/* Whoever was at one of its instructions when the jump came goes on in the slot. Only of functions
 * that push nothing before: their end would take what has not been pushed. */
static void assert_same_from_within(const struct maker *m, const struct arch_patch *p, taddr slot)
{
	taddr first = arch_patch_place(p, m->at);
	uint8_t jump[ARCH_PATCH_JUMP];

	memcpy(jump, memory(first), sizeof jump);
	for (unsigned i = 1; !m->n_pushed && i < p->n; i++) {
		struct result before = random_result();
		taddr pc = first + p->insn[i].from, own = pc, back;

		assert_int_equal(arch_patch_pc(p, m->at, slot, &pc), 1);
		back = pc;
		assert_int_equal(arch_patch_pc_back(p, m->at, slot, &back), 1);
		assert_int_equal(back, own);
		struct result patched = run(pc, &before);

		memcpy(memory(first), p->own, sizeof jump);
		struct result original = run(own, &before);

		memcpy(memory(first), jump, sizeof jump);
		assert_same(m, &original, &patched);
	}
}

static void run_both(const struct maker *m, const struct arch_patch *p)
{
	taddr slot = random_slot();
	struct result before = random_result(), original = run(m->at, &before);
	int n = arch_patch_slot(p, m->at, slot, memory(slot));

	assert_in_range(n, ARCH_PATCH_JUMP, ARCH_PATCH_SLOT);
	memset(memory(slot) + n, 0xcc, 16);
	assert_int_equal(arch_patch_jump(arch_patch_place(p, m->at), slot,
					 memory(arch_patch_place(p, m->at))),
			 0);
	struct result patched = run(m->at, &before);

	assert_same(m, &original, &patched);
	assert_same_from_within(m, p, slot);
	memcpy(memory(arch_patch_place(p, m->at)), p->own, ARCH_PATCH_JUMP);
	assert_memory_equal(memory(m->at), m->code, m->n);
}

/* ---- what was refused ---- */

struct reasons {
	const char *why[32];
	unsigned times[32], n, refused;
};

static void count_reason(struct reasons *r, const char *why)
{
	unsigned i = 0;

	while (i < r->n && strcmp(r->why[i], why))
		i++;
	assert_in_range(i, 0, 31);
	r->n += i == r->n;
	r->why[i] = why;
	r->times[i]++;
	r->refused++;
}

static void random_functions_do_the_same_with_their_first_instructions_moved(void **state)
{
	struct reasons reasons = { 0 };
	unsigned branches = 0, relative_ones = 0, inside = 0;

	(void)state;
	assert_non_null(run_map(CODE_AT, MAP_SIZE));
	assert_non_null(run_map(NEAR_BELOW, 8192));
	assert_non_null(run_map(NEAR_ABOVE, 8192));
	random_state = 31;
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		struct maker m;
		struct arch_patch p;
		const char *why;

		make_function(&m);
		memcpy(memory(m.at), m.code, m.n);
		if (arch_patch_plan(m.code, m.n, random_below(50) ? m.n : 0, &p, &why)) {
			count_reason(&reasons, why);
			continue;
		}
		for (unsigned k = 0; k < p.n; k++) {
			branches += p.insn[k].branch != 0;
			relative_ones += p.insn[k].displacement && !p.insn[k].branch;
		}
		inside += m.n_pushed ? 0 : p.n - 1u;
		run_both(&m, &p);
	}
	print_message(
		"# %u functions: %u moved, with %u branches and %u distances; entered %u times in "
		"between; %u refused\n",
		FUNCTIONS, FUNCTIONS - reasons.refused, branches, relative_ones, inside,
		reasons.refused);
	for (unsigned i = 0; i < reasons.n; i++)
		print_message("#   %u: %s\n", reasons.times[i], reasons.why[i]);
	assert_in_range(reasons.refused, FUNCTIONS / 20, FUNCTIONS / 2);
	assert_in_range(branches, FUNCTIONS / 10, FUNCTIONS);
	assert_in_range(relative_ones, FUNCTIONS / 20, FUNCTIONS);
	assert_in_range(reasons.n, 9, 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_functions_do_the_same_with_their_first_instructions_moved),
	};

	return cmocka_run_group_tests_name("arch_patch_run", tests, NULL, NULL);
}
