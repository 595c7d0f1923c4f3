/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_ENTRY_H
#define MPROF_MASSIF_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An element of a context: a function at a code address. Inlined functions are elements of their
 * own; they come before (further in than) the one into which they were inlined.
 */
struct massif_entry {
	char *text;		/* for people: "0x40113A: main (example.c:20)" */
	const char *name;	/* of the function, demangled; NULL: it has none */
	const char *label;	/* what the tables call it, then: "libfoo.so+0x1230"; NULL:
				   nothing */
	uint64_t address;
	uint32_t module;	/* tells equal addresses of two objects apart */
	bool inlined;		/* shares its address with the next one out */
};

/* By which an option may mean it; NULL: by nothing. */
static inline const char *massif_entry_called(const struct massif_entry *e)
{
	return e->name ? e->name : e->label;
}

#endif
