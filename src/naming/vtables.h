/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_VTABLES_H
#define MPROF_NAMING_VTABLES_H

#include "naming/namer.h"

/* An address in a file that may be of a class's vtable; see symbols/vtables.h. */
struct vtable_asked {
	uint32_t file;	/* PD_NONE: in no file, so nothing is known */
	uint64_t at;
	size_t which;	/* for the caller */
	char *name;	/* for free(); NULL: no symbol names a class there */
	bool other;
};

/**
 * Look up such addresses in the symbols of files, in a confined process.
 * @v  sorted by file, then by @at; @name and @other are set
 * Returns 0 or -ENOMEM.
 */
int vtables_ask(const struct resolve_module *files, size_t n_files, struct vtable_asked *v,
		size_t n, say_fn *say);

#endif
