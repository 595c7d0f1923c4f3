/* SPDX-License-Identifier: BSD-2-Clause */
/* A program with an allocator of its own, which also returns blocks of 5 and 64 GiB. */
#include "bump.h"

#include <malloc.h>

#define GIB ((size_t)1 << 30)

static NOINLINE void *huge(size_t n)
{
	char *p = malloc(n);

	MUST(p);
	p[n / 2] = 1; /* one page of it */
	return p;
}

int main(void)
{
	void *p[10], *volatile q;
	volatile size_t half = SIZE_MAX / 2;

	for (size_t i = 0; i < LENGTH(p); i++)
		p[i] = fill(malloc(1933), 1933, 3);
	for (size_t i = 0; i < 4; i++)
		free(p[i]);
	bin(1933, 10, 4);
	for (size_t i = 4; i < LENGTH(p); i++)
		check(p[i], 1933, 3);
	for (int i = 0; i < 3; i++)
		q = calloc(11, 177);
	free(q);
	bin(1947, 3, 1);
	q = realloc(NULL, 1949);
	q = realloc(q, 1951);
	q = realloc(q, 1953);
	bin(1949, 1, 1);
	bin(1951, 1, 1);
	bin(1953, 1, 0);
	q = memalign(64, 1957);
	q = aligned_alloc(128, 1959);
	free(q);
	MUST(!posix_memalign((void **)&q, 256, 1961) && !((uintptr_t)q % 256));
	MUST(posix_memalign((void **)&q, 3, 1961) == EINVAL);
	bin(1957, 1, 0);
	bin(1959, 1, 1);
	bin(1961, 1, 0);

	q = huge(5 * GIB + 1);
	free(q);
	q = huge(5 * GIB + 1);
	q = huge(64 * GIB + 3);
	free(q);
	q = calloc(4 * GIB, 2);
	q = realloc(NULL, 4 * GIB + 2);
	bin(8 * GIB, 1, 0);
	bin(4 * GIB + 2, 1, 0);
	bin(5 * GIB + 1, 2, 1);
	bin(64 * GIB + 3, 1, 1);
	MUST(!malloc(BUMP_ROOM));
	MUST(!calloc(half, 3));
	truth("failed 3\n");
	say("own: done\n");
	return 0;
}
