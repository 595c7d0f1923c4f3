/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFIROWS_H
#define MPROF_CFIROWS_H

#include "symbols/cfirule.h"
#include "symbols/objfile.h"
#include "unwind_row.h"

/*
 * The call frame information of a file as rows, for unwinders that cannot interpret it. Bytes of
 * the file are untrusted: rows, index and time are bounded by the sizes of its sections. A zeroed
 * struct is an empty table.
 */
struct cfi_rows {
	uint64_t start, end;	/* the file's code, in its own addresses: at most 4 GiB */
	struct unwind_row *v;	/* sorted, neighbours differ; the first begins at start */
	size_t n, cap;
	uint32_t *index;	/* see unwind_row_find(); n_blocks + 1 numbers */
	size_t n_blocks;
	unsigned shift;		/* a block has 1 << shift bytes: 256; more if there are few rows */
	size_t functions;	/* entries that are in the table */
	size_t skipped;		/* entries that are not: broken, or not of the file's code */
	size_t unsaid;		/* rows with UNWIND_CFA_UNSAID */
};

/**
 * Read all of a file: .eh_frame in the order of .eh_frame_hdr, or sorted if there is none; and
 * .debug_frame for code that is not described there. Where functions overlap, the code belongs
 * to the one that begins last, as in unwinders that search an index.
 * Returns 0, also if there is nothing to read, or -ENOMEM. @t must be empty.
 */
int cfirows_read(struct cfi_rows *t, struct objfile *o);
void cfirows_release(struct cfi_rows *t);

/* Begin a table for other code, from @start to @end; it is empty. 0 or -ENOMEM. */
int rows_init(struct cfi_rows *t, uint64_t start, uint64_t end);

/* @code is valid from @addr on; rows behind @addr are removed. 0 or -ENOMEM. */
int rows_put(struct cfi_rows *t, uint64_t addr, struct cfi_code code);

/* The table is complete: make its index and counts. 0 or -ENOMEM. */
int rows_finish(struct cfi_rows *t);

/* The row for the code at @addr, an address of the file; NULL: the file has no code there. */
const struct unwind_row *cfirows_find(const struct cfi_rows *t, uint64_t addr);

#endif
