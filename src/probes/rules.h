/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_RULES_H
#define MPROF_PROBES_RULES_H

#include "probes/probes.h"

/* Which functions a session observes, and where it looks for it. */

/* --malloc-lib: an object that has allocation functions. */
struct malloc_lib {
	const char *name;	/* its file name or soname; "NONE": the program itself */
	bool found;		/* a file that was mapped is called so */
};

#define MAX_MALLOC_LIBS 16

struct rules {
	struct probes probes;
	struct malloc_lib libs[MAX_MALLOC_LIBS]; /* none: every object */
	size_t n_libs;
};

void rules_release(struct rules *r);

/**
 * Are allocation functions looked for in this file? Notes which of the libraries have been found.
 * @path, @soname  of the file; NULL: it has none    @program  it is the program itself
 */
bool rules_allow(struct rules *r, const char *path, const char *soname, bool program);

/* Whether --malloc-lib says where a definition holds: not for what a program tells of itself, not
 * for what the user named, and not for what an operator new calls in the C++ library. */
bool rules_restrict(const struct probe *p);

#endif
