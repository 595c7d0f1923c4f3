/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main leaves by pthread_exit before "ready", or with an argument at "go"; the threads it has
 * created live on and read the commands.
 */
#include "live.h"

enum { THREADS = 3, SIZE = 3719 };

static pthread_t main_thread;
static atomic_bool late, over;
static atomic_ulong requests;

static void *work(void *arg)
{
	while (!over) {
		void *p = fill(malloc(SIZE), SIZE, 3);

		usleep(200);
		check(p, SIZE, 3);
		free(p);
		requests++;
	}
	return arg;
}

static void report(void)
{
	say("report %lu requests\n", (unsigned long)requests);
}

static void let_main_go(const char *word)
{
	MUST(!strcmp(word, "go"));
	late = false;
	MUST(!pthread_join(main_thread, NULL));
	say("main has gone\n");
}

static void *serve(void *arg)
{
	pthread_t t[THREADS];

	if (!late)
		MUST(!pthread_join(main_thread, NULL));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, work, NULL));
	live_serve(report, let_main_go);
	over = true;
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_join(t[i], NULL));
	say("checksum right\n");
	exit(0);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argv;
	late = argc > 1;
	main_thread = pthread_self();
	MUST(!pthread_create(&t, NULL, serve, NULL));
	while (late)
		usleep(1000);
	pthread_exit(NULL);
}
