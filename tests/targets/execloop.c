/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * execloop [threads]: executes itself again and again, so that whoever attaches most often meets it in an
 * exec; with threads, one of many that is not the first does it. Ends when there is a file "stop".
 */
#include "target.h"

#include <pthread.h>

enum { THREADS = 30, SIZE = 6029 };

static void *idle(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *again(void *how)
{
	free(malloc(SIZE));
	if (access("stop", F_OK) == 0)
		_exit(0);
	execl("/proc/self/exe", "execloop", how, "again", (char *)NULL);
	_exit(95);
}

int main(int argc, char **argv)
{
	bool threads = argc > 1 && !strcmp(argv[1], "threads");
	pthread_t t;

	if (argc < 3)
		say("ready %d\n", (int)getpid());
	for (int i = 0; threads && i < THREADS; i++)
		MUST(!pthread_create(&t, NULL, idle, NULL));
	if (!threads)
		again("alone");
	MUST(!pthread_create(&t, NULL, again, "threads"));
	idle(NULL);
}
