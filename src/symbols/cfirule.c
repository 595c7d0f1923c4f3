/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cfirule.h"

#include "arch/arch.h"
#include "unwind_row.h"

#include <dwarf.h>
#include <string.h>

#define OTHER ((struct cfi_rule){ .kind = CFI_OTHER })
#define UNSAID ((struct cfi_code){ .cfa = UNWIND_CFA_UNSAID })

/* ---- reading ---- */

#define LEB_MAX 10	/* bytes of a number of 64 bits */

bool cfi_uleb(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; *p < end && shift < 7 * LEB_MAX; shift += 7) {
		uint8_t b = *(*p)++;

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*out = v;
			return shift < 63 || b <= 1;
		}
	}
	return false;
}

bool cfi_sleb(const uint8_t **p, const uint8_t *end, int64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; *p < end && shift < 7 * LEB_MAX; shift += 7) {
		uint8_t b = *(*p)++;

		v |= (uint64_t)(b & 0x7f) << shift;
		if (b & 0x80)
			continue;
		if (shift < 57 && (b & 0x40))
			v |= UINT64_MAX << (shift + 7);
		*out = (int64_t)v;
		return shift < 63 || !b || b == 0x7f;
	}
	return false;
}

uint8_t cfi_reg(uint64_t number)
{
	return number == ARCH_DWARF_SP || number == ARCH_DWARF_FP ? (uint8_t)number : CFI_REG_OTHER;
}

/* ---- expressions ---- */

/*
 * The expression that linkers write for the stubs of a PLT: their first instructions push a word,
 * which is there from byte n of each 16 on: sp + 8 + (((pc & 15) >= n) << 3).
 */
static bool is_stub(const uint8_t *p, size_t len, uint8_t *n)
{
	static const uint8_t before[] = { DW_OP_breg0 + ARCH_DWARF_SP, UNWIND_WORD,
					  DW_OP_breg0 + ARCH_DWARF_RETURN, 0,
					  DW_OP_lit15, DW_OP_and };
	static const uint8_t behind[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };

	if (len != sizeof before + 1 + sizeof behind || memcmp(p, before, sizeof before) ||
	    memcmp(p + sizeof before + 1, behind, sizeof behind))
		return false;
	*n = (uint8_t)(p[sizeof before] - DW_OP_lit0);
	return *n < 16;
}

struct cfi_rule cfi_rule_of_expression(const uint8_t *p, const uint8_t *end)
{
	struct cfi_rule r = { .kind = CFI_IS_REG };
	uint64_t add = 0;
	uint8_t stub;

	if (is_stub(p, (size_t)(end - p), &stub))
		return (struct cfi_rule){ .kind = CFI_STUB, .offset = stub };
	if (p == end || *p < DW_OP_breg0 || *p > DW_OP_breg31)
		return OTHER;
	r.reg = cfi_reg(*p++ - DW_OP_breg0);
	if (!cfi_sleb(&p, end, &r.offset))
		return OTHER;
	if (p < end && *p == DW_OP_deref) {
		p++;
		r.kind = CFI_AT_REG;
		if (p < end && *p == DW_OP_plus_uconst) {
			p++;
			if (!cfi_uleb(&p, end, &add))
				return OTHER;
		}
	}
	r.add = (uint8_t)add;
	return p == end && add <= UINT8_MAX ? r : OTHER;
}

/* ---- rows ---- */

/* Encodes @offset in words, if it fits into the bits of @mask as a signed number. */
static bool put_words(int64_t offset, uint16_t mask, uint16_t *bits)
{
	int64_t words = offset / UNWIND_WORD, limit = (mask + 1) / 2;

	if (offset % UNWIND_WORD || words < -limit || words >= limit)
		return false;
	*bits |= (uint16_t)words & mask;
	return true;
}

static bool put_cfa(const struct cfi_rule *cfa, uint16_t *out)
{
	bool by_fp = cfa->reg == ARCH_DWARF_FP;

	if (cfa->kind == CFI_STUB) {
		*out = (uint16_t)(UNWIND_CFA_STUB | cfa->offset);
		return true;
	}
	if (cfa->reg != ARCH_DWARF_FP && cfa->reg != ARCH_DWARF_SP)
		return false;
	if (cfa->kind == CFI_IS_REG && !by_fp) {
		*out = (uint16_t)(cfa->offset / UNWIND_WORD);
		return cfa->offset >= 0 && cfa->offset % UNWIND_WORD == 0 &&
		       cfa->offset / UNWIND_WORD < UNWIND_CFA_OTHER;
	}
	if (cfa->kind == CFI_IS_REG)
		*out = UNWIND_CFA_FP;
	else if (cfa->kind == CFI_AT_REG && cfa->add == (by_fp ? 0 : UNWIND_WORD))
		*out = by_fp ? UNWIND_CFA_AT_FP : UNWIND_CFA_AT_SP;
	else
		return false;
	return put_words(cfa->offset, UNWIND_CFA_NUMBER, out);
}

static bool put_fp(const struct cfi_rule *fp, uint8_t base, uint16_t *out)
{
	switch (fp->kind) {
	case CFI_NOTHING:
	case CFI_SAME:
		*out = UNWIND_FP_KEPT;
		return true;
	case CFI_UNDEFINED:
		*out = UNWIND_FP_LOST;
		return true;
	case CFI_AT_CFA:
		*out = UNWIND_FP_AT_CFA;
		return put_words(fp->offset, UNWIND_FP_NUMBER, out);
	case CFI_AT_REG:
		*out = UNWIND_FP_AT_BASE;
		return fp->reg == base && put_words(fp->offset, UNWIND_FP_NUMBER, out);
	default:
		return false;
	}
}

static bool is_at(const struct cfi_rule *r, uint8_t reg, int64_t offset)
{
	return r->kind == CFI_AT_REG && r->reg == reg && !r->add && r->offset == offset;
}

/* The registers of the interrupted frame are on the handler's stack, where the kernel put them. */
static struct cfi_code signal_code(const struct cfi_rules *r)
{
	struct cfi_code c = { .cfa = UNWIND_CFA_SIGNAL };

	if (is_at(&r->cfa, ARCH_DWARF_SP, r->cfa.offset) &&
	    is_at(&r->sp, ARCH_DWARF_SP, r->cfa.offset) &&
	    is_at(&r->ret, ARCH_DWARF_SP, r->cfa.offset + UNWIND_WORD) &&
	    put_words(r->cfa.offset, UNWIND_CFA_NUMBER, &c.cfa) &&
	    put_fp(&r->fp, ARCH_DWARF_SP, &c.fp))
		return c;
	return UNSAID;
}

struct cfi_code cfi_rules_code(const struct cfi_rules *r, bool signal)
{
	struct cfi_code c = { 0 };

	if (r->ret.kind == CFI_UNDEFINED)
		return (struct cfi_code){ .cfa = UNWIND_CFA_END };
	if (signal)
		return signal_code(r);
	if (r->ret.kind != CFI_AT_CFA || r->ret.offset != ARCH_DWARF_RETURN_AT)
		return UNSAID;
	/* No rule is the usual one: a caller's stack pointer is the CFA. */
	if (r->sp.kind != CFI_NOTHING && (r->sp.kind != CFI_IS_CFA || r->sp.offset))
		return UNSAID;
	if (!put_cfa(&r->cfa, &c.cfa) ||
	    !put_fp(&r->fp, r->cfa.kind == CFI_STUB ? ARCH_DWARF_SP : r->cfa.reg, &c.fp))
		return UNSAID;
	return c;
}
