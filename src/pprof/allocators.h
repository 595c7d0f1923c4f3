/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_ALLOCATORS_H
#define MPROF_PPROF_ALLOCATORS_H

#include <stdbool.h>

/**
 * Is this one of the functions that pprof leaves out of heap profiles? @name may have parameters.
 * Source: google-pprof 2.10, RemoveUninterestingFrames().
 */
bool heap_is_allocator(const char *name);

#endif
