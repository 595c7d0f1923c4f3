/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pairs [N]: 8 threads make N blocks each and push every one to the next thread's inbox, which
 * frees it. No thread frees a block of its own, none waits for another. Thread i never frees the
 * last i + 1 blocks it gets. The sizes are small enough for the threads' caches.
 */
#include "target.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 8

struct block {
	struct block *next;
	int owner;
};

static long n = 20000;
static struct block *_Atomic inbox[THREADS];
static struct block *kept[THREADS][THREADS];
static atomic_long freed[THREADS];

static size_t size_of(int owner)
{
	return 333 + 16 * (size_t)owner;
}

static void empty(int me)
{
	struct block *b = atomic_exchange(&inbox[me], NULL);

	while (b) {
		struct block *next = b->next;

		freed[b->owner]++;
		free(b);
		b = next;
	}
}

static NOINLINE struct block *make(int owner)
{
	struct block *b = malloc(size_of(owner));

	fill(b, size_of(owner), owner);
	b->owner = owner;
	return b;
}

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg, to = (me + 1) % THREADS;

	for (long i = 0; i < n; i++) {
		struct block *b = make(me);

		b->next = inbox[to];
		while (!atomic_compare_exchange_weak(&inbox[to], &b->next, b))
			;
		empty(me);
	}
	for (int i = 0; i <= me; i++)
		kept[me][i] = make(me);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	if (argc > 1)
		n = atol(argv[1]);
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, work, (void *)(intptr_t)i));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_join(t[i], NULL));
	for (int i = 0; i < THREADS; i++)
		empty(i);
	for (int i = 0; i < THREADS; i++) {
		MUST(freed[i] == n);
		bin(size_of(i), n + i + 1, n);
	}
	say("pairs: done\n");
	return 0;
}
