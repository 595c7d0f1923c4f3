/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_VTABLES_H
#define MPROF_NAMING_VTABLES_H

#include "naming/namer.h"

/* A table of functions in a file that may be a class's vtable; see symbols/vtables.h. */
struct vtable_asked {
	uint32_t file;	/* PD_NONE: in none, and nothing is known of it */
	uint64_t at;
	size_t which;	/* the caller's */
	char *name;	/* for free(); NULL: no symbol names a class there */
	bool other;
};

/**
 * What the symbols of files say of such tables, asked in a confined process.
 * @v  sorted by file, then by @at; @name and @other are filled in
 * Returns 0 or -ENOMEM.
 */
int vtables_ask(const struct resolve_module *files, size_t n_files, struct vtable_asked *v,
		size_t n, say_fn *say);

#endif
