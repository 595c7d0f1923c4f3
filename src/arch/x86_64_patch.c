/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacing a function's first instructions by a jump. Source: Intel SDM volume 2. */
#include "arch/patch.h"

#include "arch/arch.h"
#include "arch/x86_64_internal.h"

#include <errno.h>
#include <string.h>

_Static_assert(ARCH_PATCH_JUMP == X86_JUMP_SIZE, "the jump is a near one");

enum {
	JMP_NEAR = 0xe9,
	JCC_NEAR = 0x80, /* behind 0x0f; the condition is in the lower half */
	JCC_NEAR_SIZE = 6,
	/* Two jumps of 2 bytes that become 6, the longest instruction, and a far jump back. */
	SLOT_NEEDED = 2 * JCC_NEAR_SIZE + 15 + X86_FAR_JUMP_MAX,
};
_Static_assert(SLOT_NEEDED <= ARCH_PATCH_SLOT, "a slot has room for whatever is moved");

struct refusal {
	int err;
	const char *why;
};

static const struct refusal
	unknown_size = { -ENOTSUP, "nobody tells how long it is" },
	too_long = { -ENOTSUP, "longer than a mebibyte" },
	unreadable = { -ENOTSUP, "not all of its code can be read" },
	too_short = { -ENOTSUP, "too short for a jump" },
	no_code = { -EILSEQ, "its first bytes are no instructions" },
	taken = { -EBUSY, "somebody else's breakpoint is among its first instructions" },
	calls = { -ENOTSUP, "a call among its first instructions" },
	returns = { -ENOTSUP, "a return among its first instructions" },
	jumps = { -ENOTSUP, "a jump among its first instructions" },
	loops = { -ENOTSUP, "a loop among its first instructions" },
	transaction = { -ENOTSUP, "a transaction among its first instructions" },
	kernel = { -ENOTSUP, "a system call among its first instructions" },
	odd_branch = { -ENOTSUP, "an oddly prefixed branch among its first instructions" },
	too_far = { -ERANGE, "its first instructions name something too far away" },
	reentered = { -ENOTSUP, "a branch leads back to its first instructions" };

static int refuse(const struct refusal *r, const char **why)
{
	*why = r->why;
	return r->err;
}

static bool is_direct_branch(const ZydisDecodedInstruction *z)
{
	return z->raw.imm[0].is_relative;
}

/* The target of a direct branch, relative to its own first byte. */
static int64_t branch_distance(const ZydisDecodedInstruction *z)
{
	return z->length + z->raw.imm[0].value.s;
}

/* ---- the first instructions ---- */

/* A conditional branch. Those that count or test rcx have no 32-bit form, and a transaction
 * restarts where it began. */
static const struct refusal *judge_conditional(const ZydisDecodedInstruction *z)
{
	if (z->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
		return &transaction;
	return x86_is_jcc(z->mnemonic) ? NULL : &loops;
}

/* Why an instruction cannot be moved; NULL: it can. @last: it is the last that has to be moved. */
static const struct refusal *judge(const ZydisDecodedInstruction *z, bool last)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return &calls;
	case ZYDIS_CATEGORY_RET:
		return last ? NULL : &returns;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return last ? NULL : &jumps;
	case ZYDIS_CATEGORY_COND_BR:
		return judge_conditional(z);
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
		return &kernel;
	case ZYDIS_CATEGORY_INTERRUPT:
		return z->mnemonic == ZYDIS_MNEMONIC_INT3 ? &taken : &kernel;
	default:
		return z->mnemonic == ZYDIS_MNEMONIC_XBEGIN ? &transaction : NULL;
	}
}

/* @distance is from the function's first byte; the slot may be on the other side of it. */
static bool is_far(int64_t distance)
{
	const int64_t most = (int64_t)ARCH_PATCH_REACH - ARCH_PATCH_SLOT - ARCH_PATCH_MOVED;

	return distance < -most || distance > most;
}

/* How an instruction is moved; @distance: from the function's first byte to the instruction's. */
static const struct refusal *plan_insn(const ZydisDecodedInstruction *z, const uint8_t *code,
				       int64_t distance, struct arch_patch_insn *i)
{
	if (!(z->attributes & ZYDIS_ATTRIB_IS_RELATIVE))
		return NULL;
	if (!is_direct_branch(z)) {
		i->displacement = z->raw.disp.offset;
		return is_far(distance + z->length + z->raw.disp.value) ? &too_far : NULL;
	}
	/* With this prefix some processors truncate the new pc to 16 bits, and some ignore it. */
	if (z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE)
		return &odd_branch;
	i->displacement = z->raw.imm[0].offset;
	i->branch = JMP_NEAR;
	if (z->meta.category == ZYDIS_CATEGORY_COND_BR)
		i->branch = JCC_NEAR | (code[i->displacement - 1] & 0xf); /* behind the opcode */
	return is_far(distance + branch_distance(z)) ? &too_far : NULL;
}

static uint8_t moved_size(const struct arch_patch_insn *i, uint8_t length)
{
	if (!i->branch)
		return length;
	return i->branch == JMP_NEAR ? X86_JUMP_SIZE : JCC_NEAR_SIZE;
}

static const struct refusal *plan_insns(const uint8_t *code, size_t len, struct arch_patch *p)
{
	size_t at = p->skip;

	while (p->size < ARCH_PATCH_JUMP) {
		ZydisDecodedInstruction z;
		struct arch_patch_insn *i = &p->insn[p->n], *next = i + 1;

		if (at == len)
			return &too_short;
		if (!x86_decode(code + at, len - at, &z))
			return &no_code;
		const struct refusal *r = judge(&z, p->size + z.length >= ARCH_PATCH_JUMP);

		r = r ? r : plan_insn(&z, code + at, (int64_t)at, i);
		if (r)
			return r;
		memcpy(p->own + p->size, code + at, z.length);
		p->size += z.length;
		p->n++;
		next->from = p->size;
		next->to = (uint8_t)(i->to + moved_size(i, z.length));
		at += z.length;
	}
	return NULL;
}

/* ---- the rest of the function ---- */

/* Does a branch go back into the moved bytes? A call may go to the first of them, the jump, since
 * it is another call of the function; another branch there would be taken for a call. */
static bool comes_back(const ZydisDecodedInstruction *z, int64_t target, const struct arch_patch *p)
{
	if (!is_direct_branch(z))
		return false;
	if (target == 0 || target == p->skip)
		return z->meta.category != ZYDIS_CATEGORY_CALL;
	return target > p->skip && target < p->skip + p->size;
}

/* Behind bytes that are no instruction it is not known where the next one begins: then try every
 * byte. */
static bool is_reentered(const uint8_t *code, size_t len, const struct arch_patch *p)
{
	bool lost = false;

	for (size_t at = 0; at < len;) {
		ZydisDecodedInstruction z;
		bool is_code = x86_decode(code + at, len - at, &z);

		if (is_code && comes_back(&z, (int64_t)at + branch_distance(&z), p))
			return true;
		lost = lost || !is_code;
		at += lost ? 1 : z.length;
	}
	return false;
}

int arch_patch_plan(const uint8_t *code, size_t len, uint64_t size, struct arch_patch *out,
		    const char **why)
{
	*out = (struct arch_patch){0};
	if (!size)
		return refuse(&unknown_size, why);
	if (size > ARCH_PATCH_BODY)
		return refuse(&too_long, why);
	if (len < size)
		return refuse(&unreadable, why);
	if (size >= X86_ENDBR64_SIZE && !memcmp(code, x86_endbr64, X86_ENDBR64_SIZE))
		out->skip = X86_ENDBR64_SIZE;
	const struct refusal *r = plan_insns(code, size, out);

	if (!r && is_reentered(code, size, out))
		r = &reentered;
	return r ? refuse(r, why) : 0;
}

/* ---- writing ---- */

taddr arch_patch_place(const struct arch_patch *p, taddr at)
{
	return at + p->skip;
}

/* The target of a direct branch that ends at @end; its displacement has 8 or 32 bits. */
static taddr branch_target(const uint8_t *distance, size_t bytes, taddr end)
{
	int64_t d = bytes == 1 ? (int8_t)*distance : x86_read32(distance);

	return end + (uint64_t)d;
}

static bool put_branch(uint8_t opcode, taddr from, taddr to, uint8_t *out)
{
	if (opcode == JMP_NEAR) {
		out[0] = opcode;
		return x86_put_distance(out + 1, from + X86_JUMP_SIZE, to);
	}
	out[0] = 0x0f;
	out[1] = opcode;
	return x86_put_distance(out + 2, from + JCC_NEAR_SIZE, to);
}

/* @at: the address of the first byte that is moved. */
static bool put_insn(const struct arch_patch *p, const struct arch_patch_insn *i, taddr at,
		     taddr slot, uint8_t *out)
{
	const uint8_t *own = p->own + i->from;
	size_t size = (size_t)(i[1].from - i->from);

	if (!i->branch)
		return x86_move(own, size, i->displacement, at + i->from, slot + i->to, out);
	taddr to = branch_target(own + i->displacement, size - i->displacement, at + i[1].from);

	return put_branch(i->branch, slot + i->to, to, out);
}

int arch_patch_slot(const struct arch_patch *p, taddr at, taddr slot, uint8_t *out)
{
	taddr first = arch_patch_place(p, at);
	size_t n = p->insn[p->n].to;

	for (const struct arch_patch_insn *i = p->insn; i < p->insn + p->n; i++)
		if (!put_insn(p, i, first, slot, out + i->to))
			return -ERANGE;
	return (int)(n + x86_put_jump(out + n, slot + n, first + p->size));
}

int arch_patch_jump(taddr from, taddr to, uint8_t out[ARCH_PATCH_JUMP])
{
	return put_branch(JMP_NEAR, from, to, out) ? 0 : -ERANGE;
}

bool arch_patch_restore(const uint8_t own[ARCH_PATCH_JUMP], const uint8_t jump[ARCH_PATCH_JUMP],
			uint8_t now[ARCH_PATCH_JUMP])
{
	bool ours = now[0] == jump[0] && jump[0] != own[0];

	if (now[0] != own[0] && now[0] != jump[0] && now[0] != arch_trap[0])
		return false;
	for (size_t i = 1; i < ARCH_PATCH_JUMP; i++) {
		if (now[i] != own[i] && now[i] != jump[i])
			return false;
		ours |= now[i] != own[i];
	}
	if (now[0] == jump[0])
		now[0] = own[0];
	memcpy(now + 1, own + 1, ARCH_PATCH_JUMP - 1);
	return ours;
}

/* ---- threads in the moved bytes ---- */

int arch_patch_pc(const struct arch_patch *p, taddr at, taddr slot, taddr *pc)
{
	taddr offset = *pc - arch_patch_place(p, at);

	if (offset == 0 || offset >= p->size)
		return 0;
	for (const struct arch_patch_insn *i = p->insn; i < p->insn + p->n; i++)
		if (i->from == offset) {
			*pc = slot + i->to;
			return 1;
		}
	return -EILSEQ;
}

int arch_patch_pc_back(const struct arch_patch *p, taddr at, taddr slot, taddr *pc)
{
	taddr offset = *pc - slot;

	/* The last one is the jump back, which stands for the code behind the moved ones. */
	if (offset > p->insn[p->n].to)
		return 0;
	for (const struct arch_patch_insn *i = p->insn; i <= p->insn + p->n; i++)
		if (i->to == offset) {
			*pc = arch_patch_place(p, at) + i->from;
			return 1;
		}
	return -EILSEQ;
}
