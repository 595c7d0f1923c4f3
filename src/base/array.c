/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

int array_reserve(void **items, size_t *cap, size_t n, size_t size)
{
	if (n < *cap)
		return 0;
	size_t want = *cap ? *cap * 2 : 16;
	void *grown = reallocarray(*items, want, size);

	if (!grown)
		return -ENOMEM;
	*items = grown;
	*cap = want;
	return 0;
}
