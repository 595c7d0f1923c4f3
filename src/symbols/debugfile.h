/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DEBUGFILE_H
#define MPROF_DEBUGFILE_H

#include "symbols/objfile.h"
#include "symbols/symbols.h"

#include <elfutils/libdw.h>
#include <limits.h>

/* The module whose debug file is searched, and the result. */
struct debugfile {
	const struct symbols_search *search;
	const char *module;	/* the module's name */
	const char *id;		/* its build ID, "" if it has none */
	char path[PATH_MAX];	/* of the debug file */
	char other[PATH_MAX];	/* a debug file of another build that was found; "": none */
};

/**
 * Look for the separate debug file of a module: by build ID below the directories of f->search and
 * /usr/lib/debug, then the file named in .gnu_debuglink beside the module, in .debug/ there, and
 * below those directories; last, if that is allowed, on the servers of debuginfod.
 * A file with another build ID is never taken; if the module has no build ID, the checksum of
 * .gnu_debuglink decides. Returns 0 or -ENOENT.
 */
int debugfile_find(struct debugfile *f, struct objfile *main, struct objfile *debug);

/**
 * Look for the file to which dwz(1) moved common parts of @dwarf (.gnu_debugaltlink), by the same
 * rules.
 * @path  name of the file that @dwarf is in
 */
int debugfile_find_alt(const struct symbols_search *search, Dwarf *dwarf, const char *path,
		       struct objfile *alt);

#endif
