/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SYMBOLS_VTABLES_H
#define MPROF_SYMBOLS_VTABLES_H

#include "symbols/symbols.h"

/* A table of functions that may be a class's vtable. */
struct sym_vtable {
	uint64_t at;	  /* where objects point to */
	const char *name; /* of the class, readable, if a symbol says so; else NULL */
	bool other;	  /* it is something else, or nothing in the module is of C++ */
};

/**
 * What the symbols of a module say of such tables: in one go, for there may be many of both.
 * @v  sorted by @at; @name, which belongs to @s, and @other are filled in
 * Returns 0 or -ENOMEM.
 */
int symbols_vtables(struct symbols *s, int module, struct sym_vtable *v, size_t n);

/**
 * The readable name of a type as type information has it, "3Foo" or "N3foo3BarE"; one that
 * is too long to be read by anybody stays as it is. False: it is none, or longer than @size.
 */
bool symbols_type_name(const char *mangled, char *out, size_t size);

#endif
