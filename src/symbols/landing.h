/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_LANDING_H
#define MPROF_LANDING_H

#include "symbols/cfi.h"
#include "symbols/objfile.h"

/*
 * Where C++ exceptions continue within the functions of a file: the call-site tables that call
 * frame information refers to. Source: LSB core specification, 10.6.1; Itanium C++ ABI, exception
 * handling tables (as GCC writes them).
 */
struct landings {
	struct objfile o;
	struct fdes fdes;
};

/* @fd stays the caller's. Returns 0, -ENOMEM, or another -errno: the file cannot be read. After a
 * failure there is nothing to release. */
int landings_open(struct landings *l, int fd);
void landings_close(struct landings *l);

enum landing {
	LANDING_NONE,		/* the exception leaves the function, or ends the program */
	LANDING_HERE,		/* it may continue at *@at */
	LANDING_UNKNOWN,	/* the code there is not described */
};

/* For an exception that comes out of the call instruction at address @call of the file. */
enum landing landing_of(const struct landings *l, uint64_t call, uint64_t *at);

#endif
