/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FILESEARCH_H
#define MPROF_FILESEARCH_H

#include "symbols/objfile.h"

#include <limits.h>

struct filesearch {
	const char *module;	/* the name of the file that is looked for, as the program had it */
	const char *id;		/* its build ID; "": it has none, and nothing can be found */
	struct objfile found;	/* for objfile_close() */
	char path[PATH_MAX];	/* its name */
	char other[PATH_MAX];	/* a file of the right name that is of another build; "": there was
				   none */
	char other_id[BUILD_ID_MAX];	/* its build ID; "": it has none */
};

/**
 * Look for a module, or its debug file, below a folder: by build ID as below /usr/lib/debug, by its
 * whole name as in a copy of the file system, by the last part of its name; if none of these is
 * there, among all files of the folder. Of several files that have its build ID the one that knows
 * most is taken.
 * Returns 0 or -ENOENT.
 */
int filesearch_below(struct filesearch *f, const char *dir);

#endif
