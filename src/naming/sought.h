/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_SOUGHT_H
#define MPROF_NAMING_SOUGHT_H

#include "base/say.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Is there a function of a certain name in the files of a program at all? For names that are not in
 * a profile, which has only functions that requested something. The files are read in a confined
 * process.
 */

enum { SOUGHT_NEAR = 64 };

struct sought {
	const char *pattern;	/* as for shortname_matches() */
	bool nowhere;		/* certainly no function has the name */
	char near[SOUGHT_NEAR];	/* an existing name that may be meant; "": none */
};

struct sought_file {
	char *path;	/* as the program saw it */
	char *build_id; /* that the file must have; "": any */
	bool program;	/* false: a library */
};

/**
 * If a file is missing or of another build, or the program has no symbol table, nothing is certain.
 * A library that ends the process which reads it counts as one without functions; @say is told.
 * Returns 0, or -ENOMEM: then nothing is certain.
 */
int sought_in_files(struct sought *v, size_t n, const struct sought_file *files, size_t n_files,
		    say_fn *say);

#endif
