/* SPDX-License-Identifier: BSD-2-Clause */
/* The effect of an instruction on known values. Source: Intel SDM volume 2. */
#include "arch/x86_64_values.h"

#include <string.h>

static const char takes_address[] = "it takes an address in its stack";
static const char odd_stack[] = "its stack is not understood";

static const struct value any = { .kind = VALUE_ANY };

struct value value_number(int64_t c)
{
	return (struct value){ .kind = VALUE_SUM, .c = c };
}

bool value_same(struct value a, struct value b)
{
	return a.kind == b.kind && a.n == b.n && a.n1 == b.n1 && a.a == b.a && a.c == b.c;
}

bool value_is(struct value v, enum value_kind kind)
{
	return v.kind == kind;
}

bool value_is_number(struct value v, int64_t c)
{
	return value_same(v, value_number(c));
}

struct value value_size(void)
{
	return (struct value){ .kind = VALUE_SUM, .n = 1 };
}

struct value value_size_or_one(void)
{
	return (struct value){ .kind = VALUE_SUM, .n1 = 1 };
}

bool value_is_size(struct value v)
{
	return value_same(v, value_size()) || value_same(v, value_size_or_one());
}

/* ---- conditions ---- */

enum condition {
	CONDITION_OTHER,
	CONDITION_EQUAL,
	CONDITION_NOT_EQUAL,
	CONDITION_BELOW,
	CONDITION_NOT_BELOW,
	CONDITION_BELOW_EQUAL,
	CONDITION_ABOVE,
};

static enum condition condition_of(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_JZ:
	case ZYDIS_MNEMONIC_CMOVZ:
		return CONDITION_EQUAL;
	case ZYDIS_MNEMONIC_JNZ:
	case ZYDIS_MNEMONIC_CMOVNZ:
		return CONDITION_NOT_EQUAL;
	case ZYDIS_MNEMONIC_JB:
	case ZYDIS_MNEMONIC_CMOVB:
		return CONDITION_BELOW;
	case ZYDIS_MNEMONIC_JNB:
	case ZYDIS_MNEMONIC_CMOVNB:
		return CONDITION_NOT_BELOW;
	case ZYDIS_MNEMONIC_JBE:
	case ZYDIS_MNEMONIC_CMOVBE:
		return CONDITION_BELOW_EQUAL;
	case ZYDIS_MNEMONIC_JNBE:
	case ZYDIS_MNEMONIC_CMOVNBE:
		return CONDITION_ABOVE;
	default:
		return CONDITION_OTHER;
	}
}

/* 1: the condition means that the compared value is below @limit; -1: the opposite; 0: neither. */
static int below(const struct values *s, ZydisMnemonic m, unsigned limit)
{
	if (!s->flags)
		return 0;
	switch (condition_of(m)) {
	case CONDITION_EQUAL:
		return s->with == 0 && limit == 1;
	case CONDITION_NOT_EQUAL:
		return s->with == 0 && limit == 1 ? -1 : 0;
	case CONDITION_BELOW:
		return s->with == limit;
	case CONDITION_NOT_BELOW:
		return s->with == limit ? -1 : 0;
	case CONDITION_BELOW_EQUAL:
		return s->with + 1u == limit;
	case CONDITION_ABOVE:
		return s->with + 1u == limit ? -1 : 0;
	default:
		return 0;
	}
}

static void nothing_given(struct values *s)
{
	s->progress = PROGRESS_FAILED;
	for (int i = 0; i < VALUE_REGS; i++)
		if (value_is(s->reg[i], VALUE_RESULT))
			s->reg[i] = value_number(0);
	for (int i = 0; i < VALUE_SLOTS; i++)
		if (value_is(s->slot[i], VALUE_RESULT))
			s->slot[i] = value_number(0);
}

void values_branch(struct values *s, ZydisMnemonic jump, bool taken)
{
	int zero = below(s, jump, 1) * (taken ? 1 : -1);

	if (!zero)
		return;
	if (value_is(s->compared, VALUE_BLOCK) || value_same(s->compared, value_size()))
		s->argument = zero > 0 ? ARGUMENT_ZERO : ARGUMENT_NOT_ZERO;
	if (!value_is(s->compared, VALUE_RESULT) || s->progress != PROGRESS_ASKED)
		return;
	s->flags = false;
	if (zero > 0)
		nothing_given(s);
	else
		s->progress = PROGRESS_GOT;
}

/* ---- registers and memory ---- */

void values_called(struct values *s)
{
	static const uint8_t kept[] = { VALUE_RBX, VALUE_RSP, VALUE_RBP, 12, 13, 14, 15 };
	struct value was[VALUE_REGS];

	memcpy(was, s->reg, sizeof was);
	for (int i = 0; i < VALUE_REGS; i++)
		s->reg[i] = any;
	for (size_t i = 0; i < sizeof kept; i++)
		s->reg[kept[i]] = was[kept[i]];
	s->flags = false;
}

/* The number of a general register, or -1. */
static int reg_of(ZydisRegister r)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);

	return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole)
								    : -1;
}

/* Is an operand on the stack? *offset is relative to the entry's stack pointer: below 0 in the
 * function's own frame. */
static bool on_stack(const struct values *s, const ZydisDecodedOperand *o, int64_t *offset)
{
	int base = o->type == ZYDIS_OPERAND_TYPE_MEMORY ? reg_of(o->mem.base) : -1;

	if (base < 0 || !value_is(s->reg[base], VALUE_STACK))
		return false;
	*offset = s->reg[base].c + (o->mem.disp.has_displacement ? o->mem.disp.value : 0);
	return true;
}

static int slot_at(int64_t offset)
{
	return offset < 0 && offset >= -8 * VALUE_SLOTS && offset % 8 == 0 ? (int)(-offset / 8) - 1
									   : -1;
}

struct value values_read(const struct values *s, const ZydisDecodedOperand *o)
{
	int64_t offset;

	if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return value_number(o->imm.value.s);
	if (o->size != 64)
		return any;
	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
		return reg_of(o->reg.value) < 0 ? any : s->reg[reg_of(o->reg.value)];
	if (!on_stack(s, o, &offset) || o->mem.index != ZYDIS_REGISTER_NONE)
		return any;
	return slot_at(offset) < 0 ? any : s->slot[slot_at(offset)];
}

static const char *write_stack(struct values *s, int64_t offset, uint64_t bytes, struct value v)
{
	if (bytes > 64 || offset + (int64_t)bytes > 0)
		return "it writes to its caller's stack";
	for (int64_t at = offset & ~INT64_C(7); at < offset + (int64_t)bytes; at += 8)
		if (slot_at(at) >= 0)
			s->slot[slot_at(at)] = bytes == 8 && at == offset ? v : any;
	return NULL;
}

/* Writes to other memory do not change what is known. */
static const char *write_to(struct values *s, const ZydisDecodedOperand *o, struct value v)
{
	int64_t offset;

	int r = o->type == ZYDIS_OPERAND_TYPE_REGISTER ? reg_of(o->reg.value) : -1;

	/* Through such a pointer the stack could be written to. */
	if (value_is(v, VALUE_STACK) && r != VALUE_RSP && r != VALUE_RBP)
		return takes_address;
	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		if (r >= 0)
			s->reg[r] = o->size == 64 ? v : any;
		return NULL;
	}
	if (!on_stack(s, o, &offset))
		return NULL;
	if (o->mem.index != ZYDIS_REGISTER_NONE)
		return "it writes somewhere in its stack";
	return write_stack(s, offset, o->size / 8, v);
}

/* ---- instructions ---- */

static struct value add(struct value x, struct value y, int sign)
{
	if (value_is(y, VALUE_STACK) && sign > 0) {
		struct value t = x;

		x = y;
		y = t;
	}
	if (!value_is(y, VALUE_SUM) || (!value_is(x, VALUE_SUM) && !value_is(x, VALUE_STACK)))
		return any;
	if (value_is(x, VALUE_STACK) && (y.n || y.n1 || y.a))
		return any;
	/* A limit against overflow: no forwarder adds up so much. */
	if (x.n > 8 || x.n1 > 8 || x.a > 8 || x.n < -8 || x.n1 < -8 || x.a < -8)
		return any;
	x.n = (int8_t)(x.n + sign * y.n);
	x.n1 = (int8_t)(x.n1 + sign * y.n1);
	x.a = (int8_t)(x.a + sign * y.a);
	x.c = (int64_t)((uint64_t)x.c + (uint64_t)sign * (uint64_t)y.c);
	return x;
}

/* (size + align - 1) & -align */
static struct value bitwise_and(struct value x, struct value y)
{
	const struct value mask = { .kind = VALUE_SUM, .a = -1 };

	if (value_same(x, mask))
		x = y;
	else if (!value_same(y, mask))
		return any;
	bool sum = value_is(x, VALUE_SUM) && x.a == 1 && x.c == -1 && x.n + x.n1 == 1 &&
		   (x.n == 0 || x.n1 == 0);
	return sum ? (struct value){ .kind = VALUE_ROUNDED } : any;
}

static struct value effective_address(const struct values *s, const ZydisDecodedOperand *o)
{
	struct value v = value_number(o->mem.disp.has_displacement ? o->mem.disp.value : 0);
	const ZydisRegister part[] = { o->mem.base, o->mem.index };

	for (int i = 0; i < 2; i++) {
		if (part[i] == ZYDIS_REGISTER_NONE)
			continue;
		if (reg_of(part[i]) < 0 || (i == 1 && o->mem.scale != 1))
			return any;
		v = add(v, s->reg[reg_of(part[i])], 1);
	}
	return v;
}

static const char *load_address(struct values *s, const ZydisDecodedOperand *o)
{
	struct value v = o[0].size == 64 ? effective_address(s, &o[1]) : any;
	const ZydisRegister part[] = { o[1].mem.base, o[1].mem.index };

	for (int i = 0; i < 2; i++)
		if (reg_of(part[i]) >= 0 && value_is(s->reg[reg_of(part[i])], VALUE_STACK) &&
		    !value_is(v, VALUE_STACK))
			return takes_address;
	return write_to(s, &o[0], v);
}

static const char *push(struct values *s, struct value v)
{
	struct value *sp = &s->reg[VALUE_RSP];

	if (!value_is(*sp, VALUE_STACK))
		return odd_stack;
	if (value_is(v, VALUE_STACK))
		return takes_address;
	sp->c -= 8;
	return write_stack(s, sp->c, 8, v);
}

static const char *pop(struct values *s, const ZydisDecodedOperand *o)
{
	struct value *sp = &s->reg[VALUE_RSP];

	if (!value_is(*sp, VALUE_STACK))
		return odd_stack;
	struct value v = slot_at(sp->c) < 0 ? any : s->slot[slot_at(sp->c)];
	sp->c += 8;
	return write_to(s, o, v);
}

/* mov %rbp,%rsp; pop %rbp */
static const char *leave(struct values *s)
{
	struct value fp = s->reg[VALUE_RBP];

	if (!value_is(fp, VALUE_STACK) || slot_at(fp.c) < 0)
		return odd_stack;
	s->reg[VALUE_RBP] = s->slot[slot_at(fp.c)];
	fp.c += 8;
	s->reg[VALUE_RSP] = fp;
	return NULL;
}

/* cmov between the size and 1: is it max(size, 1)? */
static struct value choose(const struct values *s, ZydisMnemonic m, struct value to,
			   struct value from)
{
	int small = below(s, m, 1) ? below(s, m, 1) : below(s, m, 2);
	struct value when_small = small > 0 ? from : to, else_ = small > 0 ? to : from;

	if (value_same(to, from))
		return to;
	if (small && value_same(s->compared, value_size()) && value_is_number(when_small, 1) &&
	    value_same(else_, value_size()))
		return value_size_or_one();
	return any;
}

/* adc $0 adds 1 if the size was compared with 1 and is below: max(size, 1). */
static struct value add_carry(const struct values *s, struct value to, struct value from)
{
	bool counts = s->flags && s->with == 1 && value_same(s->compared, value_size());

	return counts && value_same(to, value_size()) && value_is_number(from, 0) ?
		       value_size_or_one() : any;
}

static void compare(struct values *s, struct value v, struct value with)
{
	s->flags = value_is(with, VALUE_SUM) && !with.n && !with.n1 && !with.a && with.c >= 0 &&
		   with.c <= 2;
	s->compared = v;
	s->with = s->flags ? (uint8_t)with.c : 0;
}

/* Does the operand contain the stack pointer, or a part of it? */
static bool has_stack_pointer(const struct values *s, const ZydisDecodedOperand *o)
{
	int r = o->type == ZYDIS_OPERAND_TYPE_REGISTER ? reg_of(o->reg.value) : -1;

	return r >= 0 && value_is(s->reg[r], VALUE_STACK);
}

static bool reads_stack_pointer(const struct values *s, const ZydisDecodedInstruction *z,
				const ZydisDecodedOperand *o)
{
	for (int i = 0; i < z->operand_count; i++)
		if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    o[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ && has_stack_pointer(s, &o[i]))
			return true;
	return false;
}

/* Any other instruction: what it writes is not known any more. */
static const char *step_over(struct values *s, const ZydisDecodedInstruction *z,
			     const ZydisDecodedOperand *o)
{
	const char *why = reads_stack_pointer(s, z, o) ? takes_address : NULL;

	if (z->meta.category == ZYDIS_CATEGORY_SYSCALL ||
	    z->meta.category == ZYDIS_CATEGORY_INTERRUPT)
		return "it calls the system";
	for (int i = 0; i < z->operand_count && !why; i++) {
		int64_t offset;

		if (!(o[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (z->meta.category == ZYDIS_CATEGORY_STRINGOP && on_stack(s, &o[i], &offset))
			return "it writes somewhere in its stack";
		why = write_to(s, &o[i], any);
	}
	s->flags = false;
	return why;
}

/* 64-bit arithmetic; the flags are not known afterwards. */
static const char *compute(struct values *s, const ZydisDecodedInstruction *z,
			   const ZydisDecodedOperand *o)
{
	struct value x = values_read(s, &o[0]), y = values_read(s, &o[1]), v;

	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
		v = add(x, y, 1);
		break;
	case ZYDIS_MNEMONIC_SUB:
		v = add(x, y, -1);
		break;
	case ZYDIS_MNEMONIC_ADC:
		v = add_carry(s, x, y);
		break;
	case ZYDIS_MNEMONIC_AND:
		v = bitwise_and(x, y);
		break;
	case ZYDIS_MNEMONIC_NEG:
		v = add(value_number(0), x, -1);
		break;
	case ZYDIS_MNEMONIC_NOT:
		v = add(value_number(-1), x, -1);
		break;
	default:
		return step_over(s, z, o);
	}
	if (!value_is(v, VALUE_STACK) && reads_stack_pointer(s, z, o))
		return takes_address;
	s->flags = false;
	return write_to(s, &o[0], v);
}

static bool is_cleared(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
	return (z->mnemonic == ZYDIS_MNEMONIC_XOR || z->mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       o[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       o[1].type == ZYDIS_OPERAND_TYPE_REGISTER && o[0].reg.value == o[1].reg.value &&
	       o[0].size >= 32;
}

/* mov. A non-negative 32-bit immediate sets the whole register. */
static const char *move(struct values *s, const ZydisDecodedOperand *o)
{
	struct value v = values_read(s, &o[1]);

	if (has_stack_pointer(s, &o[1]) && o[1].size != 64)
		return takes_address;
	if (o[0].type == ZYDIS_OPERAND_TYPE_REGISTER && o[0].size == 32 &&
	    o[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && reg_of(o[0].reg.value) >= 0) {
		s->reg[reg_of(o[0].reg.value)] = value_number((uint32_t)v.c);
		return NULL;
	}
	return write_to(s, &o[0], v);
}

const char *values_step(struct values *s, const ZydisDecodedInstruction *z,
			const ZydisDecodedOperand *o)
{
	if (is_cleared(z, o)) {
		s->flags = false;
		s->reg[reg_of(o[0].reg.value)] = value_number(0);
		return NULL;
	}
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_ENDBR64:
		return NULL;
	case ZYDIS_MNEMONIC_MOV:
		return move(s, o);
	case ZYDIS_MNEMONIC_LEA:
		return load_address(s, o);
	case ZYDIS_MNEMONIC_PUSH:
		return z->operand_width == 64 ? push(s, values_read(s, &o[0])) : odd_stack;
	case ZYDIS_MNEMONIC_POP:
		return z->operand_width == 64 ? pop(s, &o[0]) : odd_stack;
	case ZYDIS_MNEMONIC_LEAVE:
		return leave(s);
	case ZYDIS_MNEMONIC_TEST:
		compare(s, values_read(s, &o[0]), value_number(0));
		s->flags = s->flags && o[0].size == 64 &&
			   o[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			   o[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			   o[0].reg.value == o[1].reg.value;
		return NULL;
	case ZYDIS_MNEMONIC_CMP:
		compare(s, values_read(s, &o[0]), values_read(s, &o[1]));
		s->flags = s->flags && o[0].size == 64;
		return NULL;
	default:
		break;
	}
	if (condition_of(z->mnemonic) != CONDITION_OTHER && !reads_stack_pointer(s, z, o))
		return write_to(s, &o[0], choose(s, z->mnemonic, values_read(s, &o[0]),
						 values_read(s, &o[1])));
	return compute(s, z, o);
}
