/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_ALLOCFN_H
#define MPROF_NAMING_ALLOCFN_H

#include <stdbool.h>

/* Names of functions, given by the user or built in: NULL-terminated, or NULL. */
typedef const char *const *name_list;

/**
 * Is this one of the allocation functions that Massif leaves out of its contexts, or one of @more
 * (--alloc-fn)? @name is demangled, with its parameters, and compared as a whole.
 * Source: Valgrind manual, "Massif: a heap profiler", --alloc-fn; ms_main.c's init_alloc_fns().
 */
bool is_allocation_function(const char *name, name_list more);

/* Is @name in the list? */
bool is_in_names(const char *name, name_list list);

#endif
