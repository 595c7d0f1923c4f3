/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * deep THREADS N: threads that start together and make N pairs of malloc and free each, ten functions
 * deep. Prints microseconds per pair: how long it took, by the pairs of all threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define STAY()	 __asm__ volatile("" ::: "memory") /* the call before it is not made a jump */

static pthread_barrier_t begin;

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

/* run, eight times down, pairs: ten */
static void *run(void *n)
{
	down(7, 100);
	pthread_barrier_wait(&begin);
	down(7, *(long *)n);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc == 3 ? atoi(argv[1]) : 0;
	long n = argc == 3 ? atol(argv[2]) : 0;
	struct timespec from, to;
	pthread_t ids[64];

	if (threads < 1 || threads > 64 || n < 1)
		return 2;
	pthread_barrier_init(&begin, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, run, &n))
			return 1;
	pthread_barrier_wait(&begin);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.5f\n", ((double)(to.tv_sec - from.tv_sec) * 1e6 +
			  (double)(to.tv_nsec - from.tv_nsec) / 1e3) /
				 ((double)n * threads));
	return 0;
}
