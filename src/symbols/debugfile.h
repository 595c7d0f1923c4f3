/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DEBUGFILE_H
#define MPROF_DEBUGFILE_H

#include "symbols/objfile.h"
#include "symbols/symbols.h"

#include <elfutils/libdw.h>
#include <limits.h>

/* Whose debug file is looked for, and what was found. */
struct debugfile {
	const struct symbols_search *search;
	const char *module;	/* the module's name */
	const char *id;		/* its build ID, "" if it has none */
	char path[PATH_MAX];	/* of the debug file */
	char other[PATH_MAX];	/* of one that is of another build; "": there was none */
};

/**
 * Look for the separate debug file of a module: by build ID below the folders of f->search and
 * /usr/lib/debug, then the file named in .gnu_debuglink beside the module, in .debug/ there, and
 * below those folders; last, if that is wanted, on the servers of debuginfod.
 * A file with another build ID is never taken; if the module has no build ID, the checksum of
 * .gnu_debuglink decides. Returns 0 or -ENOENT.
 */
int debugfile_find(struct debugfile *f, struct objfile *main, struct objfile *debug);

/**
 * The file that dwz(1) moved common parts of @dwarf to (.gnu_debugaltlink), same rules.
 * @path  name of the file @dwarf is in
 */
int debugfile_find_alt(const struct symbols_search *search, Dwarf *dwarf, const char *path,
		       struct objfile *alt);

#endif
