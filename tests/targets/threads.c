/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads many [N]: N (1000) threads at once, each allocating now and then.
 * threads churn: threads that live for a few allocations, started and ended without end.
 * Both verify what they wrote; "checksum right" at the end.
 */
#include "live.h"

enum { MAX = 4000, STARTERS = 4, SIZE = 733, STACK = 64 * 1024 };

static pthread_t threads[MAX];
static int n_threads;
static atomic_bool over;
static atomic_ulong requests, wrong, ended;
static pthread_attr_t small;

static void once(int with)
{
	unsigned char *p = malloc(SIZE);

	memset(p, with, SIZE);
	sched_yield();
	for (int i = 0; i < SIZE; i++)
		if (p[i] != (unsigned char)with)
			wrong++;
	free(p);
	requests++;
}

static void *now_and_then(void *arg)
{
	uint64_t state = (uint64_t)(uintptr_t)arg;

	while (!over) {
		once((int)state);
		usleep(100000 + live_random(&state) % 200000);
	}
	return NULL;
}

static void *short_lived(void *arg)
{
	for (int i = 0; i < 5; i++)
		once(i + (int)(uintptr_t)arg);
	ended++;
	return NULL;
}

/* Half of them are joined, half detached. */
static void *starter(void *arg)
{
	for (uintptr_t n = 0; !over; n++) {
		pthread_t t[2];

		for (int i = 0; i < 2; i++)
			MUST(!pthread_create(&t[i], &small, short_lived, (void *)n));
		pthread_detach(t[0]);
		MUST(!pthread_join(t[1], NULL));
	}
	return arg;
}

static void report(void)
{
	say("report %lu requests, %lu threads ended, %lu wrong\n", (unsigned long)requests,
	    (unsigned long)ended, (unsigned long)wrong);
}

int main(int argc, char **argv)
{
	MUST(argc > 1);
	bool many = !strcmp(argv[1], "many");
	n_threads = many ? argc > 2 ? atoi(argv[2]) : 1000 : STARTERS;
	MUST(n_threads <= MAX && !pthread_attr_init(&small));
	MUST(!pthread_attr_setstacksize(&small, STACK));
	for (int i = 0; i < n_threads; i++)
		MUST(!pthread_create(&threads[i], &small, many ? now_and_then : starter,
				     (void *)(uintptr_t)i));
	live_serve(report, NULL);
	over = true;
	for (int i = 0; i < n_threads; i++)
		MUST(!pthread_join(threads[i], NULL));
	report();
	say("checksum %s\n", wrong ? "wrong" : "right");
	return wrong ? 98 : 0;
}
