/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_ALLOCATORS_H
#define MPROF_PPROF_ALLOCATORS_H

#include <stdbool.h>

/**
 * Is this one of the functions that pprof leaves out of heap profiles? @name may have parameters.
 * Source: google-pprof 2.10, RemoveUninterestingFrames().
 */
bool heap_is_allocator(const char *name);

/* Does this file have nothing but an allocator's code in it? In jemalloc's own dumps the innermost
 * frames are inside of it, and have no names there if it is stripped. */
bool heap_is_allocators_file(const char *path);

#endif
