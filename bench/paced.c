/* SPDX-License-Identifier: BSD-2-Clause */
/* paced PAIRS WORK PAUSE_US SECONDS: a server without clients. A request is so many times malloc,
 * WORK steps of computing, and free; after each it sleeps. Prints the median of what a request took, in
 * microseconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000000 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void serve(int pairs, int work)
{
	static volatile uint64_t x = 1;

	for (int i = 0; i < pairs; i++) {
		char *volatile p = malloc((size_t)(100 + i));

		for (int j = 0; j < work; j++)
			x = x * UINT64_C(6364136223846793005) + 1;
		free(p);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	static double took[MOST];
	size_t n = 0;

	if (argc != 5)
		return 2;
	double end = now() + atof(argv[4]) * 1e6;

	for (double begin; n < MOST && (begin = now()) < end;) {
		serve(atoi(argv[1]), atoi(argv[2]));
		took[n++] = now() - begin;
		if (atoi(argv[3]))
			usleep((unsigned)atoi(argv[3]));
	}
	if (!n)
		return 1;
	qsort(took, n, sizeof *took, compare);
	printf("%.3f\n", took[n / 2]);
	return 0;
}
