/* SPDX-License-Identifier: BSD-2-Clause */
/* churn N: N pairs of malloc and free, ten functions deep. Prints microseconds per pair. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define STAY()	 __asm__ volatile("" ::: "memory") /* the call before it is not made a jump */

static NOINLINE void pairs(long n)
{
	for (long i = 0; i < n; i++) {
		void *volatile p = malloc(16 + (size_t)(i % 64) * 8);

		free(p);
	}
}

static NOINLINE void down(int depth, long n)
{
	if (depth)
		down(depth - 1, n);
	else
		pairs(n);
	STAY();
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100000;
	struct timespec from, to;

	down(7, 100); /* main, eight times down, pairs: ten */
	clock_gettime(CLOCK_MONOTONIC, &from);
	down(7, n);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.4f\n", ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
				 (double)n / 1e3);
	return 0;
}
