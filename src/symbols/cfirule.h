/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFIRULE_H
#define MPROF_CFIRULE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Rules of call frame information: for the CFA, and for those few registers of a caller that a row
 * (unwind_row.h) has.
 */
enum cfi_rule_kind {
	CFI_NOTHING,	/* there is no rule */
	CFI_SAME,	/* as in the frame itself */
	CFI_UNDEFINED,	/* cannot be known */
	CFI_AT_CFA,	/* in memory, at the CFA and offset */
	CFI_IS_CFA,	/* the CFA and offset */
	CFI_AT_REG,	/* in memory at reg and offset; add is added to it */
	CFI_IS_REG,	/* reg and offset */
	CFI_STUB,	/* the CFA in the stubs of a PLT; offset: see UNWIND_CFA_STUB */
	CFI_OTHER,	/* anything else */
};

#define CFI_REG_OTHER 0xff	/* a register that rows do not have */

struct cfi_rule {
	uint8_t kind;	/* enum cfi_rule_kind */
	uint8_t reg;	/* the number in DWARF, or CFI_REG_OTHER */
	uint8_t add;
	int64_t offset;
};

struct cfi_rules {
	struct cfi_rule cfa, sp, fp, ret;	/* ret: the return address */
};

/* What a row says, without its address. */
struct cfi_code {
	uint16_t cfa, fp;
};

/* The value of a DWARF expression. */
struct cfi_rule cfi_rule_of_expression(const uint8_t *p, const uint8_t *end);

/* The row for these rules. @signal: of a signal trampoline, whose caller was interrupted. */
struct cfi_code cfi_rules_code(const struct cfi_rules *r, bool signal);

/* Read a number of LEB128 at *p, which is moved behind it. False: it does not end before @end, or
 * has more than 64 bits. */
bool cfi_uleb(const uint8_t **p, const uint8_t *end, uint64_t *out);
bool cfi_sleb(const uint8_t **p, const uint8_t *end, int64_t *out);

/* A register as in struct cfi_rule. */
uint8_t cfi_reg(uint64_t number);

#endif
