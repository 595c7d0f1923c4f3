/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFIROWS_H
#define MPROF_CFIROWS_H

#include "symbols/cfirule.h"
#include "symbols/objfile.h"
#include "unwind_row.h"

/*
 * The call frame information of a file as rows, for code that has to unwind and cannot interpret
 * it. Bytes of the file are untrusted: rows, index and time are bounded by the sizes of its
 * sections. A zeroed struct is an empty table.
 */
struct cfi_rows {
	uint64_t start, end;	/* the file's code, in its own addresses: at most 4 GiB */
	struct unwind_row *v;	/* sorted, neighbours differ; the first begins at start */
	size_t n, cap;
	uint32_t *index;	/* see unwind_row_find(); n_blocks + 1 numbers */
	size_t n_blocks;
	unsigned shift;		/* a block has 1 << shift bytes: 256; more where rows are few */
	size_t functions;	/* entries that are in it */
	size_t skipped;		/* entries that are not: broken, not of the file's code */
	size_t unsaid;		/* rows that say UNWIND_CFA_UNSAID */
};

/**
 * Read all of a file: .eh_frame in the order of .eh_frame_hdr, or sorted where there is none;
 * code that is not described there by .debug_frame. Of functions that overlap, the code belongs
 * to the one that begins last, as unwinders have it that search an index.
 * Returns 0, also if there is nothing that could be read, or -ENOMEM. @t is empty before.
 */
int cfirows_read(struct cfi_rows *t, struct objfile *o);
void cfirows_release(struct cfi_rows *t);

/* A table of other code: an empty one of the code from @start to @end. 0 or -ENOMEM. */
int rows_init(struct cfi_rows *t, uint64_t start, uint64_t end);

/* From @addr on, @code holds; what was said of the code behind it is taken back. 0 or -ENOMEM. */
int rows_put(struct cfi_rows *t, uint64_t addr, struct cfi_code code);

/* The table is complete: make its index, and count. 0 or -ENOMEM. */
int rows_finish(struct cfi_rows *t);

/* The row of the code at @addr, an address of the file; NULL: it has no code there. */
const struct unwind_row *cfirows_find(const struct cfi_rows *t, uint64_t addr);

#endif
