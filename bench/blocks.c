/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks live N: N blocks that stay.
 * blocks tree DEPTH: a block by each of the 2^DEPTH chains that turn left or right at each call; prints
 * the number of call-tree nodes this makes below main.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define STAY()	 __asm__ volatile("" ::: "memory") /* the call before it is not made a jump */

static void keep(void)
{
	void *volatile p = malloc(16);

	(void)p;
}

static NOINLINE void turn(int depth)
{
	if (!depth) {
		keep();
		return;
	}
	turn(depth - 1); /* left */
	STAY();
	turn(depth - 1); /* right */
	STAY();
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	long n = atol(argv[2]);

	if (!strcmp(argv[1], "live")) {
		for (long i = 0; i < n; i++)
			keep();
		return 0;
	}
	turn((int)n);
	/* main's call, 2, 4 ... 2^n calls of turn(), and as many of malloc() as of the last. */
	printf("%ld\n", 1 + (2L << n) - 2 + (1L << n));
	return 0;
}
