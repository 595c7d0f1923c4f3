/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server [THREADS [PAUSE]]: threads (8) that allocate, fill, check and free without end, with
 * PAUSE microseconds (0) after each request. Every block is checked byte for byte before it is
 * freed, and what was written must add up to what is read back: "checksum right".
 */
#include "live.h"

enum { MAX_THREADS = 64, BLOCKS = 64, MAX_SIZE = 2000 };

struct worker {
	uint64_t state, written, read_back;
	unsigned char *block[BLOCKS];
	size_t size[BLOCKS];
	unsigned char with[BLOCKS];
	atomic_ulong requests, wrong;
	pthread_t thread;
} __attribute__((aligned(128)));

static struct worker workers[MAX_THREADS];
static int n_workers = 8;
static unsigned pause_us;
static atomic_bool over;

static void drop(struct worker *w, unsigned i)
{
	for (size_t k = 0; w->block[i] && k < w->size[i]; k++) {
		w->read_back += w->block[i][k];
		if (w->block[i][k] != w->with[i])
			w->wrong++;
	}
	free(w->block[i]);
	w->block[i] = NULL;
}

static void take(struct worker *w, unsigned i)
{
	size_t size = 1 + live_random(&w->state) % MAX_SIZE;

	switch (live_random(&w->state) % 4) {
	case 0:
		w->block[i] = calloc(1, size);
		for (size_t k = 0; k < size; k++)
			w->wrong += w->block[i][k] != 0;
		break;
	case 1:
		w->block[i] = malloc(size / 2 + 1);
		memset(w->block[i], 0x5a, size / 2 + 1);
		w->block[i] = realloc(w->block[i], size);
		for (size_t k = 0; k < size && k < size / 2 + 1; k++)
			w->wrong += w->block[i][k] != 0x5a;
		break;
	default:
		w->block[i] = malloc(size);
	}
	w->size[i] = size;
	w->with[i] = (unsigned char)live_random(&w->state);
	memset(w->block[i], w->with[i], size);
	w->written += (uint64_t)size * w->with[i];
}

static void *work(void *arg)
{
	struct worker *w = arg;

	while (!over) {
		unsigned i = live_random(&w->state) % BLOCKS;

		drop(w, i);
		take(w, i);
		w->requests++;
		if (pause_us)
			usleep(pause_us);
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		drop(w, i);
	return NULL;
}

static void report(void)
{
	unsigned long requests = 0, wrong = 0, slowest = ULONG_MAX;

	for (int i = 0; i < n_workers; i++) {
		unsigned long n = workers[i].requests;

		requests += n;
		wrong += workers[i].wrong;
		slowest = n < slowest ? n : slowest;
	}
	say("report %lu requests, %lu by the slowest thread, %lu "
	    "wrong\n", requests, slowest, wrong);
}

int main(int argc, char **argv)
{
	bool right = true;

	if (argc > 1)
		n_workers = atoi(argv[1]);
	if (argc > 2)
		pause_us = (unsigned)atoi(argv[2]);
	MUST(n_workers > 0 && n_workers <= MAX_THREADS);
	for (int i = 0; i < n_workers; i++) {
		workers[i].state = (uint64_t)i + 1;
		MUST(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	live_serve(report, NULL);
	over = true;
	for (int i = 0; i < n_workers; i++) {
		MUST(!pthread_join(workers[i].thread, NULL));
		right = right && !workers[i].wrong && workers[i].written == workers[i].read_back;
	}
	report();
	say("checksum %s\n", right ? "right" : "wrong");
	return right ? 0 : 98;
}
