/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_GLIBC_H
#define MPROF_HEAPWALK_GLIBC_H

#include "heapwalk/walk.h"

/* The data structures of glibc's malloc, 2.26 to 2.41, recognised by their shape: no symbol is
 * needed. */

/* The arenas, and their layout. */
struct glibc_arenas {
	unsigned before_bins; /* the offset of the bins in an arena */
	taddr *v;	      /* their addresses, the main one first */
	size_t n, cap;
	bool given_up; /* there were so many candidates that not all were examined */
};

void glibc_arenas_release(struct glibc_arenas *a);

/* Find them. 0, -ENOENT: there is none, -EMLINK: there are several main ones, or -ENOMEM. */
int glibc_arenas_find(const struct still *s, struct glibc_arenas *a);

/* Walk. 0 or -errno as glibc_arenas_find(). */
int glibc_walk(const struct still *s, struct heap_walk *w);

#endif
