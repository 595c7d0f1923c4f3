/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFIRULE_H
#define MPROF_CFIRULE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Rules of call frame information: where the CFA is, and where the few registers of a caller
 * that a row (unwind_row.h) tells of.
 */
enum cfi_rule_kind {
	CFI_NOTHING,	/* nothing has been said */
	CFI_SAME,	/* as in the frame itself */
	CFI_UNDEFINED,	/* cannot be known */
	CFI_AT_CFA,	/* in memory, at the CFA and offset */
	CFI_IS_CFA,	/* the CFA and offset */
	CFI_AT_REG,	/* what is in memory at reg and offset, and add more */
	CFI_IS_REG,	/* reg and offset */
	CFI_STUB,	/* the CFA in the stubs of a PLT; offset: see UNWIND_CFA_STUB */
	CFI_OTHER,	/* anything else */
};

#define CFI_REG_OTHER 0xff	/* a register that no row tells of */

struct cfi_rule {
	uint8_t kind;	/* enum cfi_rule_kind */
	uint8_t reg;	/* the number in DWARF, or CFI_REG_OTHER */
	uint8_t add;
	int64_t offset;
};

struct cfi_rules {
	struct cfi_rule cfa, sp, fp, ret;	/* ret: the return address */
};

/* What a row says, without its place. */
struct cfi_code {
	uint16_t cfa, fp;
};

/* The value that a DWARF expression tells. */
struct cfi_rule cfi_rule_of_expression(const uint8_t *p, const uint8_t *end);

/* @signal: of a frame that a signal has interrupted */
struct cfi_code cfi_rules_code(const struct cfi_rules *r, bool signal);

/* A number of LEB128 at **p, which is moved behind it. False: it does not end before @end, or
 * is larger than 64 bits. */
bool cfi_uleb(const uint8_t **p, const uint8_t *end, uint64_t *out);
bool cfi_sleb(const uint8_t **p, const uint8_t *end, int64_t *out);

/* A register as struct cfi_rule has it. */
uint8_t cfi_reg(uint64_t number);

#endif
