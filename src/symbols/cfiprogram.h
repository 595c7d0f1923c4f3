/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFIPROGRAM_H
#define MPROF_CFIPROGRAM_H

#include "symbols/cfientry.h"
#include "symbols/cfirule.h"

/*
 * The instructions of call frame information, interpreted for the few registers that rows tell
 * of. The bytes are untrusted: what does not make sense ends the entry, and the code that is
 * left is told as UNWIND_CFA_UNSAID. Source: DWARF 5, 6.4.2.
 */

/* A CIE that has been interpreted: where its functions begin. */
struct cfi_start {
	Dwarf_Off at;
	struct cfi_cie cie;
	struct cfi_rules rules;
	bool usable;
};

/* Interpret what has been read of a CIE. */
void cfi_start_run(struct cfi_start *x, const struct cfi_section *s);

/* Told what holds from @pc on; in ascending order, not always another code than before. 0 or
 * -errno, which ends the interpretation. */
typedef int cfi_told(void *ctx, uint64_t pc, struct cfi_code code);

/**
 * Interpret an entry.
 * @start, @end, @rest  from cfi_fde_range()
 * Returns 0 or what @told has returned.
 */
int cfi_interpret(const struct cfi_section *s, const struct cfi_start *x, const Dwarf_FDE *fde,
		  uint64_t start, uint64_t end, const uint8_t *rest, cfi_told *told, void *ctx);

#endif
