/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_TABLES_H
#define MPROF_UNWIND_TABLES_H

#include "proc/modules.h"
#include "symbols/cfi.h"
#include "unwind/snapshot.h"

#include <libunwind.h>

/*
 * Where libunwind finds the call frame information of a function: by the index .eh_frame_hdr in the
 * program's memory; in a file without one, as static programs are, by an index made here of the
 * file's .eh_frame; else in the file's .debug_frame.
 */

/* A mapped file's .eh_frame_hdr: LSB core specification, 10.6.2. */
struct cfi_table {
	taddr map_start;	/* identifies the mapping */
	bool usable;
	taddr start_ip, end_ip;
	taddr header;		/* of .eh_frame_hdr */
	taddr table;		/* its binary search table */
	uint64_t entries;
	taddr entry;		/* the entry point of the file; 0: none */
};

/* What was read from the file itself, when first needed. */
struct cfi_file {
	bool has_eh_frame, has_debug_frame;	/* it has been looked for */
	struct fdes eh_frame;
	struct debug_frame debug_frame;
};

struct cfi_tables {
	struct snapshot *memory;
	const struct mappings *maps;		/* of the chain in progress */
	const struct module_files *files;
	struct cfi_table *tables;
	size_t n_tables, cap_tables;
	struct cfi_file *of_file;	/* by the number of the file */
	size_t n_files, cap_files;
};

void tables_release(struct cfi_tables *t);

/* What is mapped has changed. What was read of files is kept: numbers of files do not change. */
void tables_flush(struct cfi_tables *t);

/* libunwind's find_proc_info(): 0 or -UNW_ENOINFO. */
int tables_find(struct cfi_tables *t, unw_addr_space_t as, taddr ip, unw_proc_info_t *pi,
		int need_unwind_info, void *arg);

/* libunwind is made to read some words from our memory. True: @at is such an address, and *@value
 * is set to its word. */
bool tables_word(const struct cfi_tables *t, taddr at, uint64_t *value);

/* Is @pc in code that needs no call frame information, because the program, the dynamic linker
 * before it, or the thread, at @thread (0: not known), was started there? */
bool tables_is_entry_code(struct cfi_tables *t, taddr pc, taddr thread);

#endif
