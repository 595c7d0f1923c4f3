/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_SOUGHT_H
#define MPROF_NAMING_SOUGHT_H

#include "base/say.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Is there a function of a name at all in the files that a program was made of? For who has met
 * none in a profile, where only those are that requested something. The files are read in a
 * confined process, as those for names are.
 */

enum { SOUGHT_NEAR = 64 };

struct sought {
	const char *pattern;	/* as shortname_matches() takes it */
	bool nowhere;		/* there is none, for certain */
	char near[SOUGHT_NEAR];	/* of the names there are the one that may be meant; "": none */
};

struct sought_file {
	char *path;	/* as the program saw it */
	char *build_id; /* what the file must have; "": whatever it has */
	bool program;	/* not a library of it */
};

/**
 * A file that is gone, is another build, or is the program and has no names of its own leaves it
 * open. A library that ends who reads it has none, and @say is told.
 * Returns 0 or -ENOMEM, then nothing is certain.
 */
int sought_in_files(struct sought *v, size_t n, const struct sought_file *files, size_t n_files,
		    say_fn *say);

#endif
