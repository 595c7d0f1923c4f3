/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_TABLES_H
#define MPROF_FAST_TABLES_H

#include "agent/layout.h"
#include "proc/modules.h"
#include "symbols/cfirows.h"

/* Unwinding tables for the agent: rows of files, and their copies in the program's memory. */

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

/* Zero memory that is shared with a program, and free its pages. */
void shared_empty(void *at, size_t size);

/*
 * Memory that the program can read, which is filled from its beginning on: what has been written is
 * not changed, for the agent may be reading it. Rows of a file are written once, however often it
 * is mapped. A zeroed struct has no room.
 */
struct placed_rows {
	uint8_t *here;	/* aligned to 8 bytes, as @there is; stays the caller's */
	taddr there;
	size_t size, used;
	bool full;	/* something has found no room since this was last cleared */
	struct agent_module *of; /* by module file number: where its rows are; rows is 0: nowhere */
	size_t n_of;
};

void placed_rows_release(struct placed_rows *t);

/* The agent does not read it any more: empty it. */
void placed_rows_clear(struct placed_rows *t);

/* Write rows, and set m->rows, index and shift to the program's addresses of them. 0 or -ENOSPC. */
int placed_rows_put(struct placed_rows *t, const struct cfi_rows *rows, struct agent_module *m);

/* The same of the rows of file @number, if that has not been done yet. 0, -ENOSPC or -ENOMEM. */
int placed_rows_put_file(struct placed_rows *t, uint32_t number, const struct cfi_rows *rows,
		    struct agent_module *m);

/* Write a list of modules, sorted by lo and without overlaps; *at: its address in the program. 0 or
 * -ENOSPC. */
int placed_rows_put_list(struct placed_rows *t, const struct agent_module *v, size_t n, taddr *at);

#endif
