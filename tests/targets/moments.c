/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that live for a moment, without end:
 * moments chains N: N (20) times a thread that creates the next one and ends.
 * moments heirs N: the same, but each joins the one that created it.
 * moments makers N: N (4) threads, each of which creates eight and joins them.
 * Each allocates a block and checks it; "checksum right" at the end. "go" creates some more, an
 * exact number, with blocks of another size; they have ended when it prints "done".
 */
#include "live.h"

enum { SIZE = 739, EXACT = 7411, AT_ONCE = 8, CHAINS = 4, LINKS = 50, STACK = 64 * 1024 };

static atomic_bool over;
static atomic_long alive, moments, links;
static pthread_attr_t small;

static void once(int size)
{
	void *p = fill(malloc((size_t)size), (size_t)size, size & 0xff);

	check(p, (size_t)size, size & 0xff);
	free(p);
	moments++;
}

static void make(pthread_t *t, void *(*f)(void *), void *arg)
{
	alive++;
	while (pthread_create(t, &small, f, arg))
		usleep(100); /* those before are not all gone yet */
}

static void *link_of_chain(void *arg)
{
	pthread_t t;

	once(SIZE);
	if (!over) {
		make(&t, link_of_chain, arg);
		pthread_detach(t);
	}
	alive--;
	return NULL;
}

/* @arg: the thread that made it; NULL: main, who is not joined */
static void *heir(void *arg)
{
	pthread_t t;

	if (arg)
		MUST(!pthread_join((pthread_t)(uintptr_t)arg, NULL));
	once(SIZE);
	if (over)
		pthread_detach(pthread_self());
	else
		make(&t, heir, (void *)(uintptr_t)pthread_self());
	alive--;
	return NULL;
}

static void *one_of_eight(void *arg)
{
	once(SIZE);
	alive--;
	return arg;
}

static void *maker(void *arg)
{
	pthread_t t[AT_ONCE];

	while (!over) {
		for (int i = 0; i < AT_ONCE; i++)
			make(&t[i], one_of_eight, NULL);
		for (int i = 0; i < AT_ONCE; i++)
			MUST(!pthread_join(t[i], NULL));
	}
	alive--;
	return arg;
}

/* @arg: how many are still to come in this chain */
static void *counted_link(void *arg)
{
	uintptr_t left = (uintptr_t)arg;
	pthread_t t;

	once(EXACT);
	if (left) {
		make(&t, counted_link, (void *)(left - 1));
		pthread_detach(t);
	}
	links++;
	alive--;
	return NULL;
}

static void go(const char *word)
{
	pthread_t t;

	(void)word;
	links = 0;
	for (int i = 0; i < CHAINS; i++) {
		make(&t, counted_link, (void *)(uintptr_t)(LINKS - 1));
		pthread_detach(t);
	}
	while (links < CHAINS * LINKS)
		usleep(1000);
	bin(EXACT, CHAINS * LINKS, CHAINS * LINKS);
	say("done\n");
}

static void report(void)
{
	say("report %ld moments\n", (long)moments);
}

int main(int argc, char **argv)
{
	MUST(argc > 1 && !pthread_attr_init(&small));
	bool chains = !strcmp(argv[1], "chains"), heirs = !strcmp(argv[1], "heirs");
	int n = argc > 2 ? atoi(argv[2]) : chains || heirs ? 20 : 4;
	pthread_t t;

	MUST(!pthread_attr_setstacksize(&small, STACK));
	for (int i = 0; i < n; i++) {
		make(&t, chains ? link_of_chain : heirs ? heir : maker, NULL);
		if (!heirs)
			pthread_detach(t);
	}
	live_serve(report, go);
	over = true;
	while (alive)
		usleep(1000);
	say("checksum right\n");
	return 0;
}
