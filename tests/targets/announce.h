/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool that announces its blocks by ANNOUNCE, RESIZED and GONE; define these before. */
#include "target.h"

#define SLAB 100003

static char *slab, *next;

static NOINLINE void *pool_get(size_t n)
{
	if (!slab)
		slab = next = malloc(SLAB);
	void *p = next;

	MUST(next + n <= slab + SLAB);
	next += (n + 15) & ~(size_t)15;
	ANNOUNCE(p, n);
	STAY();
	return p;
}

static NOINLINE void pool_put(void *p)
{
	GONE(p);
	STAY();
}

static NOINLINE void *user(size_t n)
{
	void *p = pool_get(n);

	STAY();
	return p;
}

int main(void)
{
	void *p[50];

	for (size_t i = 0; i < LENGTH(p); i++)
		p[i] = fill(user(1301), 1301, 1);
	for (size_t i = 0; i < 20; i++)
		pool_put(p[i]);
	RESIZED(p[20], 1301, 1200);
	RESIZED(p[21], 1301, 1202);
	pool_put(p[21]);
	ANNOUNCE(NULL, 1303);
	GONE(NULL);
	RESIZED(NULL, 1, 1303);
	bin(1301, 50, 22);
	bin(1200, 1, 0);
	bin(1202, 1, 1);
	bin(1303, 0, 0);
	bin(SLAB, 1, 0);
	truth("unknown 0\n");
	say("announce: done\n");
	return 0;
}
