/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_ALLOCATORS_H
#define MPROF_PPROF_ALLOCATORS_H

#include <stdbool.h>

/**
 * True for a function that pprof removes from heap profiles. @name may have parameters.
 * Source: google-pprof 2.10, RemoveUninterestingFrames().
 */
bool heap_is_allocator(const char *name);

/* True if this file consists of an allocator's code only. In jemalloc's own dumps the innermost
 * frames are within it, and have no names if it is stripped. */
bool heap_is_allocators_file(const char *path);

#endif
