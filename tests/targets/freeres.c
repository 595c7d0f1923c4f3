/* SPDX-License-Identifier: BSD-2-Clause */
/* Static, with an allocator of its own whose malloc and free call its realloc. */
#include "target.h"

enum { TIMES = 100, SIZE = 3299 };

static char room[2 * TIMES * SIZE] __attribute__((aligned(16)));
static size_t used;

NOINLINE void *realloc(void *old, size_t n)
{
	(void)old;
	if (!n)
		return NULL;
	MUST(n <= sizeof room - used);
	void *p = room + used;
	used += (n + 15) / 16 * 16;
	return p;
}

NOINLINE void *malloc(size_t n)
{
	void *p = realloc(NULL, n);

	STAY();
	return p;
}

NOINLINE void free(void *p)
{
	MUST(!realloc(p, 0));
	STAY();
}

NOINLINE void *calloc(size_t n, size_t size)
{
	return malloc(n * size); /* fresh memory is zero */
}

int main(void)
{
	void *p[TIMES];

	for (int i = 0; i < TIMES; i++)
		p[i] = fill(malloc(SIZE), SIZE, i);
	for (int i = 0; i < TIMES; i++)
		free(p[i]);
	bin(SIZE, TIMES, TIMES);
	truth("unknown 0\n");
	say("freeres: done\n");
	return 0;
}
