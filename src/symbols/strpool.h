/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STRPOOL_H
#define MPROF_STRPOOL_H

#include "base/idindex.h"

#include <stddef.h>
#include <stdint.h>

/* A pool of strings, each stored once, at an address that does not change. A zeroed struct is
 * empty. */
struct strpool {
	const char **strings;
	size_t n, cap;
	struct idindex index;	/* of the strings */
	struct strpool_chunk *chunks;
};

void strpool_release(struct strpool *p);

/**
 * @number  set to the string's number (0, 1, ... in order of their first use); may be NULL
 * Returns the pool's copy of @s, or NULL: out of memory.
 */
const char *strpool_add(struct strpool *p, const char *s, uint32_t *number);

#endif
