/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_TABLES_H
#define MPROF_FAST_TABLES_H

#include "agent/layout.h"
#include "proc/modules.h"
#include "symbols/cfirows.h"

/* Unwinding tables for the agent: of what is mapped, as they will lie in the program's memory. */

/* The rows of module files, each read once for the whole session. */
struct table_files {
	struct cfi_rows *of;	/* by module file number */
	bool *read;
	size_t n;
};

void table_files_release(struct table_files *f);

/* The rows of a file; NULL: out of memory. A file that cannot be read has none. */
const struct cfi_rows *table_file(struct table_files *f, const struct module_files *files,
				  uint32_t number);

/* One piece of code, and its rows. */
struct table_piece {
	taddr lo, hi;
	const struct unwind_row *rows;
	size_t n_rows;
	const uint32_t *index;
	size_t n_index;
	unsigned shift;
	taddr rows_at, index_at; /* where these are in the program already; 0: they are to be
				    written, and their places are put here */
};

/* Bytes that it takes to write the tables of these pieces. */
size_t tables_size(const struct table_piece *pieces, size_t n);

/**
 * Write them, struct agent_modules first, and what of their rows is not there yet.
 * @pieces  sorted by lo, without overlaps
 * @at      where @out will lie in the program: a multiple of 8
 */
void tables_write(struct table_piece *pieces, size_t n, taddr at, uint8_t *out);

#endif
