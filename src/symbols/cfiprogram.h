/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFIPROGRAM_H
#define MPROF_CFIPROGRAM_H

#include "symbols/cfientry.h"
#include "symbols/cfirule.h"

/*
 * Interprets the instructions of call frame information, for the few registers that rows have.
 * The bytes are untrusted: anything invalid ends the entry, and the rest of its code is reported as
 * UNWIND_CFA_UNSAID. Source: DWARF 5, 6.4.2.
 */

/* A CIE that has been interpreted: the rules with which its functions begin. */
struct cfi_start {
	Dwarf_Off at;
	struct cfi_cie cie;
	struct cfi_rules rules;
	bool usable;
};

/* Interpret the instructions of a CIE that has been read. */
void cfi_start_run(struct cfi_start *x, const struct cfi_section *s);

/* Called with what is valid from @pc on; addresses ascend, and @code may be the same as before. 0
 * or -errno, which ends the interpretation. */
typedef int cfi_told(void *ctx, uint64_t pc, struct cfi_code code);

/**
 * Interpret an entry.
 * @start, @end, @rest  from cfi_fde_range()
 * Returns 0 or the error that @told returned.
 */
int cfi_interpret(const struct cfi_section *s, const struct cfi_start *x, const Dwarf_FDE *fde,
		  uint64_t start, uint64_t end, const uint8_t *rest, cfi_told *told, void *ctx);

#endif
