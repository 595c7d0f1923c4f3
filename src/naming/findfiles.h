/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_FINDFILES_H
#define MPROF_NAMING_FINDFILES_H

#include "naming/namer.h"
#include "symbols/objfile.h"

#include <limits.h>

/* A file of a profile to search below a directory, as by filesearch_below(). */
struct file_sought {
	const char *module, *build_id;
	const char *dir;
	uint32_t of;	/* the caller's number for the module */
};

/* The result, plain data: a confined process writes it as it is here. */
struct file_found {
	char path[PATH_MAX];	/* "": not found */
	char other[PATH_MAX];	/* a file of its name, but of another build; "": none */
	char other_id[BUILD_ID_MAX];
	uint8_t left_out;	/* a file there ended the process that read it */
};

/**
 * Search for files in a confined process, in their order. Once a module (@of) has been found, the
 * searches for it that follow directly are skipped, and have the same result.
 * @found  one for each
 * Returns 0 or -ENOMEM.
 */
int files_find(const struct file_sought *v, size_t n, struct file_found *found, say_fn *say);

#endif
