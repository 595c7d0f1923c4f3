/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_ENTRY_H
#define MPROF_MASSIF_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An element of a context: a function at a code address. An inlined function is an element of its
 * own, and comes before (further in than) the function into which it was inlined.
 */
struct massif_entry {
	char *text;		/* for people: "0x40113A: main (example.c:20)" */
	const char *name;	/* of the function, demangled; NULL: unknown */
	const char *label;	/* if @name is NULL: what the tables show, "libfoo.so+0x1230"; NULL:
				   nothing */
	uint64_t address;
	uint32_t module;	/* tells equal addresses in two objects apart */
	bool inlined;		/* has the same address as the next element out */
};

/* The name that options are compared with; NULL: none. */
static inline const char *massif_entry_called(const struct massif_entry *e)
{
	return e->name ? e->name : e->label;
}

#endif
