/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ELFSYM_H
#define MPROF_ELFSYM_H

#include "symbols/objfile.h"

/* A function of a symbol table, [start, end). */
struct elfsym {
	uint64_t start, end;
	uint64_t reach;		/* the greatest end of this symbol and all before it */
	const char *name;	/* belongs to the ELF file */
	uint32_t section;
	uint8_t rank;		/* of several names for an address, the one with the lowest rank is
				   shown */
	bool sized;		/* the table has its size; otherwise the end is a guess */
};

/* Sorted by start, then rank. A zeroed struct is an empty table. */
struct elfsyms {
	struct elfsym *v;
	size_t n, cap;
};

/**
 * Read the functions of all tables of one type.
 * @type  SHT_SYMTAB or SHT_DYNSYM
 * Returns 0 (also if there is none, or a broken one) or -ENOMEM.
 */
int elfsyms_read(struct elfsyms *t, struct objfile *o, GElf_Word type);
void elfsyms_release(struct elfsyms *t);

/* The symbol that contains @at, of those with a known size or of those without; NULL if there is
 * none. */
const struct elfsym *elfsyms_find(const struct elfsyms *t, uint64_t at, bool sized);

/* The only symbol whose name is the first @len bytes of @name; NULL if there is none or several. */
const struct elfsym *elfsyms_find_name(const struct elfsyms *t, const char *name, size_t len);

#endif
