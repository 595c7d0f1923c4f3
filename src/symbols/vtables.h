/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SYMBOLS_VTABLES_H
#define MPROF_SYMBOLS_VTABLES_H

#include "symbols/symbols.h"

/* An address that may be of a class's vtable. */
struct sym_vtable {
	uint64_t at;	  /* where objects point to */
	const char *name; /* of the class, readable, if a symbol has it; else NULL */
	bool other;	  /* it is no vtable, or nothing in the module is of C++ */
};

/**
 * Look up such addresses in the symbols of a module, all at once, as there may be many of both.
 * @v  sorted by @at; @name, which belongs to @s, and @other are set
 * Returns 0 or -ENOMEM.
 */
int symbols_vtables(struct symbols *s, int module, struct sym_vtable *v, size_t n);

/**
 * The readable name of a type from its name in type information, "3Foo" or "N3foo3BarE"; a very
 * long one is copied as it is. False: it is no such name, or longer than @size.
 */
bool symbols_type_name(const char *mangled, char *out, size_t size);

#endif
