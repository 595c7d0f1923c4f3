/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * phases: eight threads that do nothing until they are told to. Before "ready" they make OLD
 * blocks; at "go" each does an exact amount of work with sizes of its own, some of it on old
 * blocks; when it prints "done", the truth of that is in $BINS. "more" does the same work again,
 * but its truth is not written.
 */
#include "live.h"

#include <malloc.h>

enum { THREADS = 8, OLD = 40, TIMES = 200, OLD_SIZE = 5501, A = 5503, B = 5507, C = 5519, D = 5521,
       E = 5527,
	KEPT = 7 };

static void *old[THREADS][OLD];
static atomic_uint old_left[THREADS];
static void *volatile kept[THREADS][2 * KEPT];
static pthread_barrier_t start, end;
static atomic_bool over;
static unsigned rounds;

/* Frees: A all, B: those realloc took, C all but KEPT, D all but the last of each realloc, E
 * all. */
static NOINLINE void work(unsigned t)
{
	for (int i = 0; i < TIMES; i++) {
		void *a = fill(malloc(A), A, i), *b, *c, *e;

		b = fill(calloc(1, B), B, i);
		c = fill(malloc(C), C, i);
		check(a, A, i);
		free(a);
		b = realloc(b, D);
		check(b, B, i);
		free(b);
		check(c, C, i);
		if (i >= KEPT || rounds > 1)
			free(c);
		else
			kept[t][i] = c;
		MUST(!posix_memalign(&e, 64, E));
		free(fill(e, E, i));
		free(NULL);
		if (i < OLD / 2 && old_left[t]) {
			unsigned n = --old_left[t];

			check(old[t][n], OLD_SIZE, (int)n);
			free(old[t][n]);
		}
	}
}

static void *thread(void *arg)
{
	unsigned t = (unsigned)(uintptr_t)arg;

	for (int i = 0; i < OLD; i++)
		old[t][i] = fill(malloc(OLD_SIZE), OLD_SIZE, i);
	old_left[t] = OLD;
	pthread_barrier_wait(&end);
	for (;;) {
		pthread_barrier_wait(&start);
		if (over)
			return NULL;
		work(t);
		pthread_barrier_wait(&end);
	}
}

static void report(void)
{
	say("report %u rounds\n", rounds);
}

static void other(const char *word)
{
	bool counts = !strcmp(word, "go");

	MUST(counts || !strcmp(word, "more"));
	rounds++;
	pthread_barrier_wait(&start);
	pthread_barrier_wait(&end);
	if (counts) {
		long n = (long)THREADS * TIMES, keep = rounds > 1 ? 0 : (long)THREADS * KEPT;

		bin(A, n, n);
		bin(B, n, n);
		bin(C, n, n - keep);
		bin(D, n, n);
		bin(E, n, n);
		bin(OLD_SIZE, 0, 0);
		truth("unknown %d\n", rounds > 2 ? 0 : THREADS * (OLD / 2));
		truth("failed 0\n");
	}
	say("done %u\n", rounds);
}

int main(void)
{
	pthread_t threads[THREADS];

	MUST(!pthread_barrier_init(&start, NULL, THREADS + 1));
	MUST(!pthread_barrier_init(&end, NULL, THREADS + 1));
	for (uintptr_t i = 0; i < THREADS; i++)
		MUST(!pthread_create(&threads[i], NULL, thread, (void *)i));
	pthread_barrier_wait(&end);
	live_serve(report, other);
	over = true;
	pthread_barrier_wait(&start);
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_join(threads[i], NULL));
	say("phases: done\n");
	return 0;
}
