/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_RULES_H
#define MPROF_PROBES_RULES_H

#include "probes/probes.h"

/* Which functions a session observes, and in which files it looks for them. */

/* --malloc-lib: an object that has allocation functions. */
struct malloc_lib {
	const char *name;	/* its file name or soname; "NONE": the program itself */
	bool found;		/* a mapped file has this name */
};

#define MAX_MALLOC_LIBS 16

struct rules {
	struct probes probes;
	struct malloc_lib libs[MAX_MALLOC_LIBS]; /* none: all objects are searched */
	size_t n_libs;
};

void rules_release(struct rules *r);

/**
 * True if allocation functions are to be searched for in this file. Notes which of the libraries
 * have been found.
 * @path, @soname  of the file; NULL: none    @program  it is the program itself
 */
bool rules_allow(struct rules *r, const char *path, const char *soname, bool program);

/* True if --malloc-lib restricts where this definition applies. It does not restrict the marks and
 * announcements of programs, functions that the user named, and those that an operator new of the
 * C++ library calls. */
bool rules_restrict(const struct probe *p);

#endif
