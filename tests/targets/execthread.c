/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At "exec" a thread that is not the leader executes the program again, while others allocate; at
 * "exec-main" the leader does. The new program writes to $BINS what it does before its "ready", and
 * "go" what the old one did before: only the work of one image is exact.
 */
#include "live.h"

enum { THREADS = 4, TIMES = 50, FIRST = 6007, SECOND = 6011, NOISE = 601 };

static char *const again[] = { (char *)"execthread", (char *)"again", NULL };
static atomic_ulong requests;
static bool second;

static void *noise(void *arg)
{
	for (;;) {
		void *p = fill(malloc(NOISE), NOISE, 9);

		usleep(100);
		check(p, NOISE, 9);
		free(p);
		requests++;
	}
	return arg;
}

static void *exec_again(void *arg)
{
	(void)arg;
	execv("/proc/self/exe", again);
	_exit(95);
}

static NOINLINE void exact(size_t size)
{
	for (int i = 0; i < TIMES; i++) {
		void *p = fill(malloc(size), size, i);

		if (i)
			free(p);
	}
}

static void report(void)
{
	say("report %lu requests, %s program\n", (unsigned long)requests,
	    second ? "second" : "first");
}

static void other(const char *word)
{
	pthread_t t;

	if (!strcmp(word, "go")) {
		exact(FIRST);
		say("done\n");
	} else if (!strcmp(word, "exec")) {
		MUST(!pthread_create(&t, NULL, exec_again, NULL));
	} else if (!strcmp(word, "exec-main")) {
		exec_again(NULL);
	}
}

int main(int argc, char **argv)
{
	(void)argv;
	second = argc > 1;
	if (second)
		exact(SECOND);
	for (int i = 0; i < THREADS; i++) {
		pthread_t t;

		MUST(!pthread_create(&t, NULL, noise, NULL));
	}
	live_serve(report, other);
	say("checksum right\n");
	_exit(0);
}
