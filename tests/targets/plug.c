/* SPDX-License-Identifier: BSD-2-Clause */
/* A plugin, built twice with another NAME, so that both may be loaded at the same address. */
#include "target.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

static NOINLINE void *JOIN(NAME, _leaf)(size_t n)
{
	void *p = fill(malloc(n), n, 6);

	STAY();
	return p;
}

__attribute__((visibility("default"))) void *plug_make(size_t n)
{
	void *p = JOIN(NAME, _leaf)(n);

	STAY();
	return p;
}

__attribute__((constructor)) static void loaded(void)
{
	free(fill(malloc(6101), 6101, 1));
}

__attribute__((destructor)) static void unloaded(void)
{
	free(fill(malloc(6113), 6113, 1));
}
