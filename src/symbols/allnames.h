/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SYMBOLS_ALLNAMES_H
#define MPROF_SYMBOLS_ALLNAMES_H

#include "symbols/symbols.h"

/* What names a module has at all, wherever: for who wants to know that one is in none. */

/* Told a name, as it stands there. */
typedef void allnames_fn(void *ctx, const char *name);

struct allnames {
	allnames_fn *symbol; /* of a function in a symbol table, as the linker has it */
	/* Is the function wanted that has this name in the debug information, without its scope
	 * and its parameters? */
	bool (*is_wanted)(void *ctx, const char *name);
	/* A wanted one, which may have no code but where it is inlined, or none at all: as the
	 * linker would have it, or as a name with its scope, but without parameters. */
	allnames_fn *debug;
	void *ctx;
};

/**
 * Tell all names of a module.
 * @all  set to whether these are all: it has a symbol table that is not for the linker alone, and
 *       no part of its debug information is in files beside it
 * Returns 0 or -ENOMEM.
 */
int symbols_allnames(struct symbols *s, int module, const struct allnames *to, bool *all);

#endif
