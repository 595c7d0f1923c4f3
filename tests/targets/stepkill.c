/* SPDX-License-Identifier: BSD-2-Clause */
/* The main thread runs over a trap that has to be single-stepped, again and again, which holds the
 * other threads; a child kills the process at some moment: in several runs, some kills come in the
 * middle of a step. */
#include "stepped.h"

#include <pthread.h>
#include <signal.h>

enum { THREADS = 3, SIZE = 307 };

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(void)
{
	pid_t self = getpid();
	pthread_t t;

	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t, NULL, wait_for_ever, NULL));
	if (!fork()) {
		usleep(20000);
		kill(self, SIGKILL);
		_exit(0);
	}
	for (;;)
		free(fill(stepped(SIZE), SIZE, 1));
}
