/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_LANDING_H
#define MPROF_LANDING_H

#include "symbols/cfi.h"
#include "symbols/objfile.h"

/*
 * Where exceptions of C++ go on within the functions of a file: the tables of call sites that call
 * frame information leads to. Source: LSB core specification, 10.6.1; Itanium C++ ABI, exception
 * handling tables (as GCC writes them).
 */
struct landings {
	struct objfile o;
	struct fdes fdes;
};

/* Of the file @fd, which stays the caller's. Returns 0, -ENOMEM, or another -errno: it cannot be
 * read, and there is nothing to release. */
int landings_open(struct landings *l, int fd);
void landings_close(struct landings *l);

enum landing {
	LANDING_NONE,		/* an exception passes by the function, or ends the program */
	LANDING_HERE,		/* it may go on at *@at */
	LANDING_UNKNOWN,	/* nothing describes the code there */
};

/* Of an exception that comes out of the call at address @call of the file. */
enum landing landing_of(const struct landings *l, uint64_t call, uint64_t *at);

#endif
