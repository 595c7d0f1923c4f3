/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_JEMALLOC_H
#define MPROF_HEAPWALK_JEMALLOC_H

#include "heapwalk/walk.h"

/* The books of jemalloc 5.3 with pages of 4 KiB, told by their shape: no symbol is needed. What it
 * has is as in its own source: include/jemalloc/internal/rtree.h, edata.h, cache_bin.h, sc.h. */

/* Walk. 0, -ENOENT: it is not there, or another version is, or -ENOMEM. */
int jemalloc_walk(const struct still *s, struct heap_walk *w);

/* The bytes of a size class; 0: there is no such one. */
uint64_t jemalloc_class_size(unsigned index);

#endif
