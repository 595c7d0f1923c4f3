/* SPDX-License-Identifier: BSD-2-Clause */
/* main leaves by pthread_exit; the threads it started go on and end the process with status 6. */
#include "target.h"

#include <pthread.h>

enum { TIMES = 500, SIZE = 3701 };

static pthread_t main_thread, first;

static NOINLINE void pairs(void)
{
	for (int i = 0; i < TIMES; i++)
		free(fill(malloc(SIZE), SIZE, i));
}

static void *first_thread(void *arg)
{
	MUST(!pthread_join(main_thread, NULL));
	pairs();
	return arg;
}

static void *last_thread(void *arg)
{
	MUST(!pthread_join(first, NULL));
	pairs();
	bin(SIZE, 2 * TIMES + 1, 2 * TIMES);
	say("mainexit: done\n");
	exit(6);
	return arg;
}

int main(void)
{
	pthread_t last;
	void *volatile p = fill(malloc(SIZE), SIZE, 1);

	(void)p;
	main_thread = pthread_self();
	MUST(!pthread_create(&first, NULL, first_thread, NULL));
	MUST(!pthread_create(&last, NULL, last_thread, NULL));
	pthread_exit(NULL);
}
