/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_ARRAY_H
#define MPROF_BASE_ARRAY_H

#include <stddef.h>

/**
 * Make room for one more element behind the @n that are in use.
 * @items  address of the array pointer (NULL at first)   @cap  its capacity in elements
 * @size   bytes an element
 * Doubles the capacity when it is used up; on failure the array is as before.
 * Returns 0 or -ENOMEM. The array's owner frees it with free().
 */
int array_reserve(void **items, size_t *cap, size_t n, size_t size);

/* array_reserve() for a typed pointer: ARRAY_RESERVE(&v->items, &v->cap, v->n). */
#define ARRAY_RESERVE(items, cap, n) array_reserve((void **)(items), (cap), (n), sizeof **(items))

#endif
