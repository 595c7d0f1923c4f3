/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SYMBOLS_ALLNAMES_H
#define MPROF_SYMBOLS_ALLNAMES_H

#include "symbols/symbols.h"

/* All names that a module has, in any table: to find out that it does not have a certain one. */

/* Called with a name as it is in the file. */
typedef void allnames_fn(void *ctx, const char *name);

struct allnames {
	allnames_fn *symbol; /* called with each function in a symbol table: its linkage name */
	/* Is a function wanted that has this name in the debug information, without its scope and
	 * parameters? */
	bool (*is_wanted)(void *ctx, const char *name);
	/* Called with each wanted function, which may have code only where it is inlined, or none:
	 * its linkage name, or its name with its scope, but without parameters. */
	allnames_fn *debug;
	void *ctx;
};

/**
 * Report all names of a module.
 * @all  set to whether these are all: it has a symbol table besides .dynsym, and no part of its
 *       debug information is in other files
 * Returns 0 or -ENOMEM.
 */
int symbols_allnames(struct symbols *s, int module, const struct allnames *to, bool *all);

#endif
