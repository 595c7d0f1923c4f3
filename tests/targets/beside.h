/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_BESIDE_H
#define MPROF_TESTS_BESIDE_H

#include "target.h"

enum { HEADER = 16 };

/* Called at the beginning of pool_take(), pool_give() and pool_more(); may be NULL. */
extern void (*beside_inside)(void);

void *pool_take(size_t n);
void pool_give(void *p);
void *pool_more(void *p, size_t n);
void *je_malloc(size_t n);
void *je_calloc(size_t n, size_t each);
void *je_realloc(void *p, size_t n);
void je_free(void *p);

#endif
