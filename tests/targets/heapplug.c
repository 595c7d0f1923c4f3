/* SPDX-License-Identifier: BSD-2-Clause */
/* A library whose code allocates and is unloaded again. */
#include <stdlib.h>

__attribute__((noinline)) void *plugged_alloc(size_t n)
{
	void *p = malloc(n);

	__asm__ volatile("" ::: "memory");
	return p;
}
