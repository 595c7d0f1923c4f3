/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight threads that allocate, resize and free blocks of their own and of each other. What a
 * realloc gives up may be returned to another thread at once. Prints at the end the live bytes and
 * the most that were ever live, by its own count, and how often it has called malloc, calloc,
 * realloc and free. Usage: races [ROUNDS]; with 0, everything but the threads' work is done.
 */
#include "live.h"

enum { THREADS = 8, SLOTS = 24, KEEP = 4 };

/* A block and its size, to be had by whoever comes. */
static struct slot {
	_Atomic(void *) p;
} slots[SLOTS];

static atomic_ulong live, counts[4];
static unsigned long rounds = 400;
/* Without it some threads would take over what others have left behind, a few bytes each time. */
static pthread_barrier_t all_there;

/* The size is in the block: it goes from hand to hand. */
static void *own(void *p, size_t n)
{
	MUST(p);
	*(size_t *)p = n;
	atomic_fetch_add(&live, n);
	return p;
}

static size_t disown(void *p)
{
	size_t n = *(size_t *)p;

	atomic_fetch_sub(&live, n);
	return n;
}

static void *turn(void *p, uint64_t *seed)
{
	size_t n = 16 + live_random(seed) % 8 * 16;

	if (!p && live_random(seed) % 2) {
		atomic_fetch_add(&counts[0], 1);
		return own(malloc(n), n);
	}
	if (!p) {
		atomic_fetch_add(&counts[1], 1);
		return own(calloc(n / 16, 16), n);
	}
	if (live_random(seed) % 3) {
		disown(p);
		atomic_fetch_add(&counts[2], 1);
		return own(realloc(p, n), n);
	}
	disown(p);
	atomic_fetch_add(&counts[3], 1);
	free(p);
	return NULL;
}

static void *work(void *arg)
{
	uint64_t seed = (uintptr_t)arg * 77 + 5;

	pthread_barrier_wait(&all_there);
	for (unsigned long i = 0; i < rounds; i++) {
		struct slot *s = &slots[live_random(&seed) % SLOTS];
		void *p = atomic_exchange(&s->p, NULL);

		p = turn(p, &seed);
		/* Somebody else may have filled the place meanwhile. */
		p = p ? atomic_exchange(&s->p, p) : NULL;
		if (p) {
			disown(p);
			atomic_fetch_add(&counts[3], 1);
			free(p);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t t[THREADS];
	unsigned long top;

	if (argc > 1)
		rounds = strtoul(argv[1], NULL, 10);
	/* The highest load is one that the program can know: nothing else is live beside it. */
	void *peak = own(malloc(1 << 20), 1 << 20);
	atomic_fetch_add(&counts[0], 1);
	top = atomic_load(&live);
	disown(peak);
	atomic_fetch_add(&counts[3], 1);
	free(peak);
	MUST(!pthread_barrier_init(&all_there, NULL, THREADS));
	for (uintptr_t i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, work, (void *)(i + 1)));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_join(t[i], NULL));
	say("load %lu peak %lu calls %lu %lu %lu "
	    "%lu\n", atomic_load(&live), top, atomic_load(&counts[0]),
	    atomic_load(&counts[1]), atomic_load(&counts[2]), atomic_load(&counts[3]));
	_exit(0); /* what exit() would free is not the program's account */
}
