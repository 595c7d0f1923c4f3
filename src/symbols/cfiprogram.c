/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cfiprogram.h"

#include "arch/arch.h"
#include "unwind_row.h"

#include <dwarf.h>
#include <string.h>

/* Nested DW_CFA_remember_state; compilers nest one or two. */
#define REMEMBERED_MAX 32

struct run {
	const struct cfi_section *s;
	const struct cfi_cie *cie;
	const struct cfi_rules *initial;	/* NULL: the CIE itself is being interpreted */
	const uint8_t *p, *end;
	struct cfi_rules rules;
	struct cfi_rules *remembered;		/* REMEMBERED_MAX of them */
	unsigned n_remembered;
	uint64_t pc;
	cfi_told *told;
	void *ctx;
	int err;
};

/* ---- operands ---- */

static bool uleb(struct run *r, uint64_t *v)
{
	return cfi_uleb(&r->p, r->end, v);
}

/* An unsigned offset in bytes. */
static bool offset(struct run *r, int64_t *v)
{
	uint64_t u;

	if (!uleb(r, &u) || u > INT64_MAX)
		return false;
	*v = (int64_t)u;
	return true;
}

/* An offset in units of the CIE's data alignment factor. */
static bool factored(struct run *r, int64_t *v)
{
	return offset(r, v) && !__builtin_mul_overflow(*v, r->cie->e.data_alignment_factor, v);
}

static bool factored_signed(struct run *r, int64_t *v)
{
	return cfi_sleb(&r->p, r->end, v) &&
	       !__builtin_mul_overflow(*v, r->cie->e.data_alignment_factor, v);
}

static bool fixed(struct run *r, unsigned n, uint64_t *v)
{
	*v = 0;
	if ((size_t)(r->end - r->p) < n)
		return false;
	memcpy(v, r->p, n);	/* little-endian, as are all files that are read here */
	r->p += n;
	return true;
}

static bool expression(struct run *r, struct cfi_rule *out)
{
	uint64_t len;

	if (!uleb(r, &len) || len > (size_t)(r->end - r->p))
		return false;
	*out = cfi_rule_of_expression(r->p, r->p + len);
	r->p += len;
	return true;
}

/* ---- rules ---- */

/* The rule of a register; @none if rows have no rule for it. */
static struct cfi_rule *rule_of(struct cfi_rules *rules, uint64_t reg, struct cfi_rule *none)
{
	switch (reg) {
	case ARCH_DWARF_SP:
		return &rules->sp;
	case ARCH_DWARF_FP:
		return &rules->fp;
	case ARCH_DWARF_RETURN:
		return &rules->ret;
	default:
		return none;
	}
}

static bool set_rule(struct run *r, uint64_t reg, struct cfi_rule rule)
{
	struct cfi_rule none;

	*rule_of(&r->rules, reg, &none) = rule;
	return true;
}

static bool set_kind(struct run *r, enum cfi_rule_kind kind)
{
	uint64_t reg;

	return uleb(r, &reg) && set_rule(r, reg, (struct cfi_rule){ .kind = kind });
}

/* Reads a register, and with @read its offset from the CFA. */
static bool set_by_cfa(struct run *r, enum cfi_rule_kind kind,
		       bool (*read)(struct run *, int64_t *))
{
	struct cfi_rule rule = { .kind = kind };
	uint64_t reg;

	return uleb(r, &reg) && read(r, &rule.offset) && set_rule(r, reg, rule);
}

/* DW_CFA_GNU_negative_offset_extended: the offset has the opposite sign. */
static bool set_negative(struct run *r)
{
	struct cfi_rule rule = { .kind = CFI_AT_CFA };
	uint64_t reg;

	return uleb(r, &reg) && factored(r, &rule.offset) &&
	       !__builtin_sub_overflow(0, rule.offset, &rule.offset) && set_rule(r, reg, rule);
}

static bool set_expression(struct run *r, bool is_address)
{
	struct cfi_rule rule;
	uint64_t reg;

	if (!uleb(r, &reg) || !expression(r, &rule))
		return false;
	rule.kind = is_address && rule.kind == CFI_IS_REG ? CFI_AT_REG : CFI_OTHER;
	return set_rule(r, reg, rule);
}

/* In another register: rows cannot express that. */
static bool set_register(struct run *r)
{
	uint64_t reg, other;

	return uleb(r, &reg) && uleb(r, &other) &&
	       set_rule(r, reg, (struct cfi_rule){ .kind = CFI_OTHER });
}

static bool restore(struct run *r, uint64_t reg)
{
	struct cfi_rules initial;
	struct cfi_rule none = { 0 };

	if (!r->initial)
		return false;
	initial = *r->initial;
	return set_rule(r, reg, *rule_of(&initial, reg, &none));
}

static bool restore_numbered(struct run *r)
{
	uint64_t reg;

	return uleb(r, &reg) && restore(r, reg);
}

static bool remember(struct run *r)
{
	if (r->n_remembered == REMEMBERED_MAX)
		return false;
	r->remembered[r->n_remembered++] = r->rules;
	return true;
}

static bool recall(struct run *r)
{
	if (!r->n_remembered)
		return false;
	r->rules = r->remembered[--r->n_remembered];
	return true;
}

/* ---- the CFA ---- */

static bool define_cfa(struct run *r, bool (*read)(struct run *, int64_t *))
{
	struct cfi_rule cfa = { .kind = CFI_IS_REG };
	uint64_t reg;

	if (!uleb(r, &reg) || !read(r, &cfa.offset))
		return false;
	cfa.reg = cfi_reg(reg);
	r->rules.cfa = cfa;
	return true;
}

static bool define_cfa_register(struct run *r)
{
	uint64_t reg;

	if (!uleb(r, &reg) || r->rules.cfa.kind != CFI_IS_REG)
		return false;
	r->rules.cfa.reg = cfi_reg(reg);
	return true;
}

static bool define_cfa_offset(struct run *r, bool (*read)(struct run *, int64_t *))
{
	return r->rules.cfa.kind == CFI_IS_REG && read(r, &r->rules.cfa.offset);
}

/* ---- places ---- */

/* Reports the present rules for the code from here to @pc, and continues there. */
static bool go_to(struct run *r, uint64_t pc)
{
	if (!r->initial || pc < r->pc)
		return false;
	if (pc == r->pc)
		return true;
	r->err = r->told(r->ctx, r->pc, cfi_rules_code(&r->rules, r->cie->signal));
	r->pc = pc;
	return !r->err;
}

static bool advance(struct run *r, uint64_t units)
{
	uint64_t bytes;

	/* If the sum overflows, it is less than the pc, and go_to() refuses it. */
	return !__builtin_mul_overflow(units, r->cie->e.code_alignment_factor, &bytes) &&
	       go_to(r, r->pc + bytes);
}

static bool advance_by(struct run *r, unsigned bytes)
{
	uint64_t units;

	return fixed(r, bytes, &units) && advance(r, units);
}

static bool set_place(struct run *r)
{
	uint64_t pc;

	return cfi_address(r->s, r->cie->encoding, &r->p, r->end, &pc) && go_to(r, pc);
}

/* ---- instructions ---- */

static bool extended(struct run *r, uint8_t op)
{
	uint64_t ignored;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return set_place(r);
	case DW_CFA_advance_loc1:
		return advance_by(r, 1);
	case DW_CFA_advance_loc2:
		return advance_by(r, 2);
	case DW_CFA_advance_loc4:
		return advance_by(r, 4);
	case DW_CFA_MIPS_advance_loc8:
		return advance_by(r, 8);
	case DW_CFA_offset_extended:
		return set_by_cfa(r, CFI_AT_CFA, factored);
	case DW_CFA_offset_extended_sf:
		return set_by_cfa(r, CFI_AT_CFA, factored_signed);
	case DW_CFA_GNU_negative_offset_extended:
		return set_negative(r);
	case DW_CFA_val_offset:
		return set_by_cfa(r, CFI_IS_CFA, factored);
	case DW_CFA_val_offset_sf:
		return set_by_cfa(r, CFI_IS_CFA, factored_signed);
	case DW_CFA_restore_extended:
		return restore_numbered(r);
	case DW_CFA_undefined:
		return set_kind(r, CFI_UNDEFINED);
	case DW_CFA_same_value:
		return set_kind(r, CFI_SAME);
	case DW_CFA_register:
		return set_register(r);
	case DW_CFA_expression:
		return set_expression(r, true);
	case DW_CFA_val_expression:
		return set_expression(r, false);
	case DW_CFA_remember_state:
		return remember(r);
	case DW_CFA_restore_state:
		return recall(r);
	case DW_CFA_def_cfa:
		return define_cfa(r, offset);
	case DW_CFA_def_cfa_sf:
		return define_cfa(r, factored_signed);
	case DW_CFA_def_cfa_register:
		return define_cfa_register(r);
	case DW_CFA_def_cfa_offset:
		return define_cfa_offset(r, offset);
	case DW_CFA_def_cfa_offset_sf:
		return define_cfa_offset(r, factored_signed);
	case DW_CFA_def_cfa_expression:
		return expression(r, &r->rules.cfa);
	case DW_CFA_GNU_args_size:
		return uleb(r, &ignored);
	default:
		return false;
	}
}

static bool instruction(struct run *r)
{
	uint8_t op = *r->p++, low = op & 0x3f;
	struct cfi_rule at = { .kind = CFI_AT_CFA };

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(r, low);
	case DW_CFA_offset:
		return factored(r, &at.offset) && set_rule(r, low, at);
	case DW_CFA_restore:
		return restore(r, low);
	default:
		return extended(r, low);
	}
}

void cfi_start_run(struct cfi_start *x, const struct cfi_section *s)
{
	const Dwarf_CIE *e = &x->cie.e;
	struct cfi_rules remembered[REMEMBERED_MAX];
	struct run r = { .s = s, .cie = &x->cie, .p = e->initial_instructions,
			 .end = e->initial_instructions_end, .remembered = remembered };

	x->usable = x->cie.encoding >= 0 && e->return_address_register == ARCH_DWARF_RETURN &&
		    r.p && r.p <= r.end;
	while (x->usable && r.p < r.end)
		x->usable = instruction(&r);
	x->rules = r.rules;
}

/* The entry's address range is followed by augmentation data, which begins with its length. */
static const uint8_t *instructions(const struct cfi_cie *cie, const uint8_t *rest,
				   const uint8_t *end)
{
	uint64_t len;

	if (*cie->e.augmentation != 'z')
		return rest;
	if (!cfi_uleb(&rest, end, &len) || len > (size_t)(end - rest))
		return NULL;
	return rest + len;
}

int cfi_interpret(const struct cfi_section *s, const struct cfi_start *x, const Dwarf_FDE *fde,
		  uint64_t start, uint64_t end, const uint8_t *rest, cfi_told *told, void *ctx)
{
	struct cfi_rules remembered[REMEMBERED_MAX];
	struct run r = { .s = s, .cie = &x->cie, .initial = &x->rules, .rules = x->rules,
			 .p = x->usable ? instructions(&x->cie, rest, fde->end) : NULL,
			 .end = fde->end, .remembered = remembered, .pc = start,
			 .told = told, .ctx = ctx };
	bool understood = r.p;

	while (understood && r.p < r.end && r.pc < end)
		understood = instruction(&r);
	if (r.err || r.pc >= end)
		return r.err;
	return told(ctx, r.pc, understood ? cfi_rules_code(&r.rules, x->cie.signal) :
					    (struct cfi_code){ .cfa = UNWIND_CFA_UNSAID });
}
