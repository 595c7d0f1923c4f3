/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Five call sites with different patterns of live blocks: a table that is filled once, a cache, a
 * queue, a leak of one in a hundred, and batches that are freed at once. They go on in steps, as
 * many as it takes until no part of the time has had far fewer steps than another, so that a busy
 * machine makes no difference. Prints what it has kept.
 */
#include "target.h"

#include <time.h>

enum { STEPS = 150, MOST_STEPS = 6000, PARTS = 8, STEP_MS = 10 };
enum { INIT = 50, CACHED = 200, QUEUED = 30, BATCH = 12 };

static void *volatile cache[CACHED], *volatile queue[QUEUED], *volatile batch[BATCH * 5];
static void *volatile table[INIT], *volatile leaked[MOST_STEPS];
static double at[MOST_STEPS];
static unsigned queued, batched, n_leaked;
static unsigned long random_state = 1;

static unsigned below(unsigned n)
{
	random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(random_state >> 33) % n;
}

static NOINLINE void init(void)
{
	for (int i = 0; i < INIT; i++)
		table[i] = malloc(100);
}

static NOINLINE void remember(unsigned step)
{
	for (unsigned i = 0; i < 10; i++) {
		unsigned k = step * 10 + i < CACHED ? step * 10 + i : below(CACHED);

		free(cache[k]);
		cache[k] = malloc(64);
	}
}

static NOINLINE void enqueue(void)
{
	for (int i = 0; i < 6; i++, queued++) {
		free(queue[queued % QUEUED]);
		queue[queued % QUEUED] = NULL;
	}
	queued -= 6;
	for (int i = 0; i < 6; i++, queued++)
		queue[queued % QUEUED] = malloc(48);
}

static NOINLINE void lose(void)
{
	for (int i = 0; i < 100; i++) {
		void *volatile p = malloc(32);

		if (i == 50)
			leaked[n_leaked++] = p;
		else
			free(p);
	}
}

static NOINLINE void collect(unsigned step)
{
	if (step % BATCH == 0)
		while (batched)
			free(batch[--batched]);
	for (int i = 0; i < 5; i++)
		batch[batched++] = malloc(80);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Has each part of the time until now had half of its share of the steps at least? */
static bool is_even(unsigned steps, double begin, double end)
{
	unsigned of[PARTS] = { 0 };

	for (unsigned i = 0; i < steps; i++)
		of[(unsigned)((at[i] - begin) / (end - begin) * PARTS) % PARTS]++;
	for (unsigned i = 0; i < PARTS; i++)
		if (of[i] * PARTS * 2 < steps)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = STEP_MS * 1000000 };
	double begin = now();
	unsigned steps = 0, least = argc > 1 && !strcmp(argv[1], "on") ? MOST_STEPS : STEPS;

	init();
	while (steps < least || (steps < MOST_STEPS && !is_even(steps, begin, now()))) {
		at[steps] = now();
		remember(steps);
		enqueue();
		lose();
		collect(steps++);
		nanosleep(&pause, NULL);
	}
	dprintf(1, "kept init %d remember %d enqueue %d lose %u collect %u\n", INIT, CACHED, QUEUED,
		n_leaked, batched);
	return 0;
}
