/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that every C library has; linked in every way there is. */
#include "target.h"

#include <pthread.h>

enum { N = 40, THREADS = 3 };

static NOINLINE void *leaf(size_t n)
{
	void *p = fill(malloc(n), n, 3);

	STAY();
	return p;
}

static void *work(void *arg)
{
	for (int i = 0; i < 200; i++)
		free(leaf(7103));
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	void *p[N], *volatile q;
	volatile size_t much = PTRDIFF_MAX;

	for (int i = 0; i < N; i++)
		p[i] = leaf(7001);
	for (int i = 0; i < N / 2; i++)
		free(p[i]);
	bin(7001, N, N / 2);
	q = calloc(7, 1007);
	q = realloc(q, 7057);
	q = realloc(q, 7069);
	bin(7049, 1, 1);
	bin(7057, 1, 1);
	bin(7069, 1, 0);
	q = realloc(NULL, 7079);
	free(q);
	bin(7079, 1, 1);
	MUST(!posix_memalign((void **)&q, 256, 7091) && !((uintptr_t)q % 256));
	free(q);
	MUST((q = aligned_alloc(128, 7168)) && !((uintptr_t)q % 128));
	bin(7091, 1, 1);
	bin(7168, 1, 0);
	MUST(!malloc(much) && !calloc(much, 3));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, work, NULL));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	bin(7103, THREADS * 200, THREADS * 200);
	truth("failed 2\n");
	truth("unknown 0\n");
	say("plain: done\n");
	return 0;
}
