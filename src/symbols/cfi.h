/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFI_H
#define MPROF_CFI_H

#include "symbols/objfile.h"

/* A function as .eh_frame has it: no name, but a beginning and an end. */
struct fde {
	uint64_t start, end;
};

/* Sorted by start. A zeroed struct is an empty table. */
struct fdes {
	struct fde *v;
	size_t n, cap;
};

/* Returns 0 (also if there is no .eh_frame, or a broken one) or -ENOMEM. */
int fdes_read(struct fdes *t, struct objfile *o);
void fdes_release(struct fdes *t);

/* The one that holds @at, or NULL. */
const struct fde *fdes_find(const struct fdes *t, uint64_t at);

#endif
