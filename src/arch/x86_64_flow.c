/* SPDX-License-Identifier: BSD-2-Clause */
/* How instructions move whole words. Sources: Intel SDM volume 2; psABI, 3.2.1, 3.2.3, 3.6.2. */
#include "arch/flow.h"

#include "arch/x86_64_internal.h"

#include <string.h>

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R15 = 15 };

const uint32_t arch_flow_lost = 1u << RAX | 1u << RDX | 1u << RCX | 1u << RSI | 1u << RDI |
				1u << R8 | 1u << R9 | 1u << R10 | 1u << R11;
const int arch_flow_args[ARCH_FLOW_ARGS] = {RDI, RSI, RDX, RCX, R8, R9};
const int arch_flow_result = RAX, arch_flow_sp = RSP, arch_flow_fp = RBP;

/* The DWARF number of the 64-bit register that contains @r. */
static int number_of(ZydisRegister r)
{
	/* Indexed by the machine's numbers. */
	static const int8_t numbers[8] = {RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI};
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);

	if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64)
		return ARCH_FLOW_NO_REG;
	const uint8_t id = (uint8_t)ZydisRegisterGetId(whole);
	return id < 8 ? numbers[id] : id <= R15 ? id : ARCH_FLOW_NO_REG;
}

struct decoded {
	ZydisDecodedInstruction z;
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	taddr end;
};

static bool is_whole_reg(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->size == 64 &&
	       number_of(o->reg.value) != ARCH_FLOW_NO_REG;
}

static bool is_word_in_memory(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->size == 64 &&
	       o->mem.type == ZYDIS_MEMOP_TYPE_MEM && o->mem.segment != ZYDIS_REGISTER_FS &&
	       o->mem.segment != ZYDIS_REGISTER_GS;
}

static struct arch_flow_place place_of(const struct decoded *d, const ZydisDecodedOperand *o)
{
	struct arch_flow_place p = {ARCH_FLOW_NO_REG, o->mem.index != ZYDIS_REGISTER_NONE,
				    o->mem.disp.value};

	if (o->mem.base == ZYDIS_REGISTER_RIP)
		p.offset = (int64_t)(d->end + (taddr)p.offset);
	else
		p.base = number_of(o->mem.base);
	return p;
}

static void set_move(struct arch_flow *f, const struct decoded *d)
{
	const ZydisDecodedOperand *to = &d->o[0], *from = &d->o[1];

	if (is_whole_reg(to) && is_whole_reg(from)) {
		f->kind = ARCH_FLOW_COPY;
		f->from = number_of(from->reg.value);
		f->to = number_of(to->reg.value);
	} else if (is_whole_reg(to) && is_word_in_memory(from)) {
		f->kind = ARCH_FLOW_LOAD;
		f->to = number_of(to->reg.value);
		f->at = place_of(d, from);
	} else if (is_word_in_memory(to) && is_whole_reg(from)) {
		f->kind = ARCH_FLOW_STORE;
		f->from = number_of(from->reg.value);
		f->at = place_of(d, to);
	}
}

static void set_target(struct arch_flow *f, const struct decoded *d)
{
	if (d->o[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && d->o[0].imm.is_relative)
		f->target = d->end + (taddr)d->o[0].imm.value.s;
}

static uint32_t written(const struct decoded *d)
{
	uint32_t set = 0;

	for (unsigned i = 0; i < d->z.operand_count; i++) {
		const ZydisDecodedOperand *o = &d->o[i];
		int n = o->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(o->reg.value)
							       : ARCH_FLOW_NO_REG;

		if (n != ARCH_FLOW_NO_REG && o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			set |= 1u << n;
	}
	return set;
}

static void set_kind(struct arch_flow *f, const struct decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		/* A struct arch_flow_place cannot express an address cut to 32 bits. */
		if (d->z.address_width == 64)
			set_move(f, d);
		break;
	case ZYDIS_MNEMONIC_CALL:
		f->kind = ARCH_FLOW_CALL;
		f->writes = arch_flow_lost;
		set_target(f, d);
		break;
	case ZYDIS_MNEMONIC_JMP:
		f->kind = ARCH_FLOW_JUMP;
		set_target(f, d);
		break;
	case ZYDIS_MNEMONIC_RET:
		f->kind = ARCH_FLOW_RETURN;
		break;
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3:
		f->kind = ARCH_FLOW_STOP;
		break;
	default:
		if (!x86_is_jcc(d->z.mnemonic))
			break;
		f->kind = ARCH_FLOW_BRANCH;
		set_target(f, d);
	}
}

bool arch_flow(const uint8_t *code, size_t len, taddr at, struct arch_flow *f)
{
	struct decoded d;
	ZydisDecoder decoder;

	*f = (struct arch_flow){
		.from = ARCH_FLOW_NO_REG, .to = ARCH_FLOW_NO_REG, .at = {.base = ARCH_FLOW_NO_REG}};
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!len || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &d.z, d.o)))
		return false;
	d.end = at + d.z.length;
	f->size = d.z.length;
	f->writes = written(&d);
	set_kind(f, &d);
	return true;
}
