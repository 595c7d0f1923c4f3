/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFIROWS_INTERNAL_H
#define MPROF_CFIROWS_INTERNAL_H

#include "base/idindex.h"
#include "symbols/cfiprogram.h"
#include "symbols/cfirows.h"

/* The rows of one section, while they are made. A zeroed struct can be released. */
struct row_maker {
	struct cfi_rows *t;
	struct cfi_section s;
	struct cfi_start *starts;	/* CIEs, each interpreted once */
	size_t n_starts, cap_starts;
	struct idindex index;		/* of starts, by their offsets */
	uint64_t last;			/* start of the previous function */
	uint64_t budget;		/* bytes that may still be read */
};

/* Replace UNWIND_CFA_NONE in @t by the rows of @other, a table of the same code. 0 or -ENOMEM. */
int rows_fill(struct cfi_rows *t, const struct cfi_rows *other);

/* Rows of @s are added to @t, which must outlive @m. */
void row_maker_init(struct row_maker *m, struct cfi_rows *t, const struct cfi_section *s);
void row_maker_release(struct row_maker *m);

/**
 * Add the function whose entry is at @offset, which is untrusted.
 * Returns 0 (also if the entry is skipped), -ENOMEM, or -EINVAL: it begins before the last one,
 * or the file has bytes read so often that it must be forged.
 */
int row_maker_add(struct row_maker *m, Dwarf_Off offset);

#endif
