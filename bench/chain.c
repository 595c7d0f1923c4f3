/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chain DEPTH N: N pairs of malloc and free at the bottom of a recursion DEPTH calls deep, all by the
 * same chain.
 * chain first DEPTH: down to DEPTH and up again, a malloc on the way down and its free on the way up at
 * each of them: each chain is new, and one call longer than the one before it.
 *
 * Prints microseconds per pair.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define STAY()	 __asm__ volatile("" ::: "memory") /* the call before it is not made a jump */

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double taken;

static NOINLINE void pairs(long n)
{
	double from = 0;

	for (long i = -3; i < n; i++) {
		if (i == 0)
			from = now_us();
		void *volatile p = malloc(16);

		free(p);
	}
	taken = now_us() - from;
}

static NOINLINE void down(long depth, long n)
{
	if (depth > 1)
		down(depth - 1, n);
	else
		pairs(n);
	STAY();
}

static NOINLINE void first(long depth)
{
	void *volatile p = malloc(16);

	if (depth > 1)
		first(depth - 1);
	free(p);
	STAY();
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	long n = atol(argv[2]);

	if (!strcmp(argv[1], "first")) {
		double from = now_us();

		first(n);
		taken = now_us() - from;
	} else {
		down(atol(argv[1]), n);
	}
	printf("%.4f\n", taken / (double)n);
	return 0;
}
