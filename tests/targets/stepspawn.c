/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread calls malloc where the instruction behind the call has to be single-stepped, because
 * it is an indirect call; the other spawns children, and sleeps in vfork(2) until they exec.
 */
#include "stepped.h"

#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { CHILDREN = 200, SIZE = 3323 };

static atomic_bool over;
static long pairs;

static void *work(void *arg)
{
	while (!over) {
		free(stepped(SIZE));
		pairs++;
		usleep(200);
	}
	return arg;
}

int main(int argc, char **argv)
{
	char *args[] = { argv[0], (char *)"child", NULL };
	pthread_t worker;
	pid_t pid;

	if (argc > 1)
		return 0;
	MUST(!pthread_create(&worker, NULL, work, NULL));
	for (int i = 0; i < CHILDREN; i++) {
		MUST(!posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ));
		MUST(waitpid(pid, NULL, 0) == pid);
	}
	over = true;
	MUST(!pthread_join(worker, NULL));
	bin(SIZE, pairs, pairs);
	say("stepspawn: done\n");
	return 0;
}
