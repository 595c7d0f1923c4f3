/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_FINDFILES_H
#define MPROF_NAMING_FINDFILES_H

#include "naming/namer.h"
#include "symbols/objfile.h"

#include <limits.h>

/* A file of a profile that is looked for below a folder, as filesearch_below() does it. */
struct file_sought {
	const char *module, *build_id;
	const char *dir;
	uint32_t of;	/* the caller's number of the file */
};

/* What came of it, plain data: a confined process hands it over as it is here. */
struct file_found {
	char path[PATH_MAX];	/* "": it is not there */
	char other[PATH_MAX];	/* a file of its name that is of another build; "": none */
	char other_id[BUILD_ID_MAX];
	uint8_t left_out;	/* a file there ended who read it */
};

/**
 * Look for files in a confined process, in their order. What is sought of a file that the one
 * before was about, and has found, is what that has found.
 * @found  one for each
 * Returns 0 or -ENOMEM.
 */
int files_find(const struct file_sought *v, size_t n, struct file_found *found, say_fn *say);

#endif
