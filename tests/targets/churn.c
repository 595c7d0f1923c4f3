/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * churn [N]: N times, 4 threads start, allocate and end. They free most of their blocks themselves,
 * so that these are in the thread's cache when libc clears it at the thread's end.
 */
#include "target.h"

#include <pthread.h>

enum { THREADS = 4, EACH = 6, SIZE = 461 };

static void *work(void *arg)
{
	void *p[EACH];

	for (int i = 0; i < EACH; i++)
		p[i] = fill(malloc(SIZE), SIZE, i);
	for (int i = 1; i < EACH; i++)
		free(p[i]);
	(void)arg;
	return p[0];
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 50;

	for (long k = 0; k < n; k++) {
		pthread_t t[THREADS];
		void *p;

		for (int i = 0; i < THREADS; i++)
			MUST(!pthread_create(&t[i], NULL, work, NULL));
		for (int i = 0; i < THREADS; i++) {
			MUST(!pthread_join(t[i], &p));
			check(p, SIZE, 0);
			if (i % 2)
				free(p);
		}
	}
	bin(SIZE, n * THREADS * EACH, n * THREADS * (EACH - 1) + n * THREADS / 2);
	truth("unknown 0\n");
	say("churn: done\n");
	return 0;
}
