/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FILESEARCH_H
#define MPROF_FILESEARCH_H

#include "symbols/objfile.h"

#include <limits.h>

struct filesearch {
	const char *module;	/* path of the file that is searched, as the program saw it */
	const char *id;		/* its build ID; "": it has none, and nothing can be found */
	struct objfile found;	/* the caller's, for objfile_close() */
	char path[PATH_MAX];	/* its path */
	char other[PATH_MAX];	/* a file of the right name, but of another build; "": there was
				   none */
	char other_id[BUILD_ID_MAX];	/* its build ID; "": it has none */
};

/**
 * Look for a module, or its debug file, below a directory: by build ID as below /usr/lib/debug, by
 * its full path as in a copy of the file system, and by the last part of its name; if these have no
 * DWARF, among all files of the directory. Of several files with its build ID the one that has most
 * about names is taken.
 * Returns 0 or -ENOENT.
 */
int filesearch_below(struct filesearch *f, const char *dir);

#endif
