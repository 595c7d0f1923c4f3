/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFI_H
#define MPROF_CFI_H

#include "symbols/objfile.h"

/* A function as call frame information describes it: without a name, but with its start and end. */
struct fde {
	uint64_t start, end;
	uint64_t offset;	/* of its entry in the section, in bytes */
};

/* Sorted by start. A zeroed struct is an empty table. */
struct fdes {
	struct fde *v;
	size_t n, cap;
	uint64_t section;	/* the section's address in the file */
};

/* How .eh_frame_hdr begins as every current linker writes it: version 1, and the encodings
 * DW_EH_PE_pcrel|sdata4, udata4, datarel|sdata4. Source: LSB core specification, 10.6.2. */
#define CFI_USUAL_HEADER 4
extern const uint8_t cfi_usual_header[CFI_USUAL_HEADER];

/* The functions in .eh_frame. Returns 0 (also if there is none, or a broken one) or -ENOMEM. */
int fdes_read(struct fdes *t, struct objfile *o);
void fdes_release(struct fdes *t);
/* Sort a table that was filled entry by entry. */
void fdes_sort(struct fdes *t);

/* The entry whose function contains @at, or NULL. */
const struct fde *fdes_find(const struct fdes *t, uint64_t at);

/*
 * .debug_frame, which only debuggers read and which is not loaded into memory, converted to the
 * form of .eh_frame, so that the same code can interpret both. Source: DWARF 5, 6.4.1, and LSB core
 * specification, 10.6.1. A zeroed struct is empty.
 */
struct debug_frame {
	struct fdes fdes;	/* offset: in bytes[] */
	uint8_t *bytes;		/* addresses in it are those of the file, 8 bytes long */
	size_t n, cap;
};

/* Only from 64-bit files with this machine's byte order. Returns as fdes_read(). */
int debug_frame_read(struct debug_frame *f, struct objfile *o);
void debug_frame_release(struct debug_frame *f);

#endif
