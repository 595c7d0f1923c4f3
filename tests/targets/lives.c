/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks whose lifetimes are known, in allocations and frees. For each call site it prints a line
 * "lives FUNCTION FREES TEMPORARY EVENTS:BLOCKS ...".
 */
#include "target.h"

enum { N = 100 };

static void *volatile keep[N];

/* 100 blocks that are gone before anything else happens: one event each. */
static NOINLINE void brief(void)
{
	for (int i = 0; i < N; i++)
		free(fill(malloc(6203), 6203, 1));
	say("lives brief %d %d 1:%d\n", N, N, N);
}

/* 100 blocks that are freed in the order in which they were made: each lives through 100 events.
 * The last one is temporary, for nothing has been allocated since. */
static NOINLINE void queue(void)
{
	for (int i = 0; i < N; i++)
		keep[i] = malloc(6211);
	for (int i = 0; i < N; i++)
		free(keep[i]);
	say("lives queue %d 1 64:%d\n", N, N); /* 100 is between 64 and 128 */
}

/* ... and the other way round: 1, 3, 5 ... 199 events. */
static NOINLINE void stack(void)
{
	for (int i = 0; i < N; i++)
		keep[i] = calloc(1, 6217);
	for (int i = N; i-- > 0;)
		free(keep[i]);
	say("lives stack %d 1 1:1 2:1 4:2 8:4 16:8 32:16 64:32 128:36\n", N);
}

/* A buffer that grows: each step is the end of the block before it. */
static NOINLINE void grow(void)
{
	char *p = NULL;

	for (int i = 1; i <= 10; i++)
		MUST(p = realloc(p, (size_t)6221 * i));
	free(p);
	say("lives grow 10 10 1:10\n");
}

/* Blocks that stay have no lifetime. */
static NOINLINE void stay(void)
{
	for (int i = 0; i < N; i++)
		keep[i] = malloc(6229);
}

int main(void)
{
	brief();
	queue();
	stack();
	grow();
	stay();
	return 0;
}
