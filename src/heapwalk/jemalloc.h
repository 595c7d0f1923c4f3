/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_JEMALLOC_H
#define MPROF_HEAPWALK_JEMALLOC_H

#include "heapwalk/walk.h"

/* The data structures of jemalloc 5.3 with pages of 4 KiB, recognised by their shape: no symbol is
 * needed. Source: include/jemalloc/internal/rtree.h, edata.h, cache_bin.h, sc.h. */

/* Walk. 0, -ENOENT: there is no jemalloc, or another version, or -ENOMEM. */
int jemalloc_walk(const struct still *s, struct heap_walk *w);

/* The size in bytes of a size class; 0: there is no such class. */
uint64_t jemalloc_class_size(unsigned index);

#endif
