/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modules FILE...: loads all libraries but the last, and 100 threads call each in turn; the
 * last one is loaded and unloaded without end. Each is a copy of plug.c.
 */
#include "live.h"

#include <dlfcn.h>

enum { THREADS = 100, MAX = 256, SIZE = 3701 };

typedef void *call_fn(size_t size);

static call_fn *calls[MAX];
static int n_calls;
static atomic_bool over;
static atomic_ulong requests;
static const char *last;
static pthread_t threads[THREADS + 1];

static void *work(void *arg)
{
	for (int i = (int)(uintptr_t)arg; !over; i++) {
		free(calls[i % n_calls](SIZE));
		requests++;
		usleep(20000);
	}
	return NULL;
}

static void *come_and_go(void *arg)
{
	while (!over) {
		void *h = dlopen(last, RTLD_NOW);

		MUST(h);
		call_fn *call = (call_fn *)(uintptr_t)dlsym(h, "plug_make");
		MUST(call);
		free(call(SIZE));
		dlclose(h);
		usleep(1000);
	}
	return arg;
}

static void report(void)
{
	say("report %lu requests\n", (unsigned long)requests);
}

int main(int argc, char **argv)
{
	MUST(argc > 2);
	last = argv[argc - 1];
	for (int i = 1; i < argc - 1 && n_calls < MAX; i++) {
		void *h = dlopen(argv[i], RTLD_NOW);

		MUST(h);
		calls[n_calls++] = (call_fn *)(uintptr_t)dlsym(h, "plug_make");
		MUST(calls[n_calls - 1]);
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		MUST(!pthread_create(&threads[i], NULL, work, (void *)i));
	MUST(!pthread_create(&threads[THREADS], NULL, come_and_go, NULL));
	live_serve(report, NULL);
	over = true;
	for (int i = 0; i <= THREADS; i++)
		MUST(!pthread_join(threads[i], NULL));
	say("checksum right\n");
	return 0;
}
