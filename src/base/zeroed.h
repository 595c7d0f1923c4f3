/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_ZEROED_H
#define MPROF_BASE_ZEROED_H

#include <stddef.h>

/* Much memory of which little may be used: zeroed, and not touched before it is. calloc(3) zeroes
 * it itself, page by page, once the C library has seen such pieces freed. */

/* NULL: out of memory. */
void *zeroed_new(size_t size);
/* @size: as it was made. NULL is fine. */
void zeroed_free(void *p, size_t size);

#endif
