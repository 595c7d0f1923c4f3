/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * execloop [threads]: executes itself again and again, so that attaching most often meets an exec;
 * with "threads", one of many threads that is not the leader does it. Ends when there is a file
 * "stop". execloop left: one of many threads waits for a tracer, prints that it is "traced",
 * executes itself as soon as it has been detached from, and prints "ready" again.
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

static void *when_left(void *arg)
{
	while (!traced_by())
		usleep(1000);
	say("traced\n");
	while (traced_by())
		;
	execl("/proc/self/exe", "execloop", "left", (char *)NULL);
	_exit(95);
	return arg;
}

int main(int argc, char **argv)
{
	bool left = argc > 1 && !strcmp(argv[1], "left");
	bool threads = left || (argc > 1 && !strcmp(argv[1], "threads"));
	pthread_t t;

	if (argc < 3)
		say("ready %d\n", (int)getpid());
	for (int i = 0; threads && i < THREADS; i++)
		MUST(!pthread_create(&t, NULL, idle, NULL));
	if (!threads)
		again("alone");
	MUST(!pthread_create(&t, NULL, left ? when_left : again, "threads"));
	idle(NULL);
}
