/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_ZEROED_H
#define MPROF_BASE_ZEROED_H

#include <stddef.h>

/* Large zeroed memory of which little may be used: the kernel provides pages only when they are
 * touched. calloc(3) would write zeros itself, once the C library has seen such pieces freed. */

/* NULL: out of memory. */
void *zeroed_new(size_t size);
/* @size: as in zeroed_new(). @p may be NULL. */
void zeroed_free(void *p, size_t size);

#endif
