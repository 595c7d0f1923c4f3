/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/zeroed.h"

#include <sys/mman.h>

void *zeroed_new(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void zeroed_free(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}
