/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * race THREADS N: the threads start together and make N pairs of malloc and free each. Prints how much
 * longer the slowest took than the fastest, and in a second line microseconds per pair.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_barrier_t start;
static long pairs;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *run(void *arg)
{
	double *taken = arg;
	void *volatile p = malloc(32);

	free(p);
	pthread_barrier_wait(&start);
	double from = now();
	for (long i = 0; i < pairs; i++) {
		p = malloc(32);
		free(p);
	}
	*taken = now() - from;
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[1]) : 0;
	pthread_t threads[256];
	double taken[256], slowest, fastest;

	if (n < 1 || n > 256)
		return 2;
	pairs = atol(argv[2]);
	pthread_barrier_init(&start, NULL, (unsigned)n);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, &taken[i]))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	slowest = fastest = taken[0];
	for (int i = 1; i < n; i++) {
		slowest = taken[i] > slowest ? taken[i] : slowest;
		fastest = taken[i] < fastest ? taken[i] : fastest;
	}
	printf("%.4f\n%.4f\n", slowest / fastest, slowest * 1e6 / (double)(pairs * n));
	return 0;
}
