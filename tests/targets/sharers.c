/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process and its child that share their memory, but are not in one thread group: both allocate
 * and free all the time. "report" prints how often each did.
 */
#include "live.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

enum { SIZE = 3347, STACK = 1 << 16 };

static char stack[STACK] __attribute__((aligned(16)));
static atomic_bool over;
static atomic_ulong pairs, pairs_of_child;

static void work(atomic_ulong *n)
{
	while (!over) {
		free(fill(malloc(SIZE), SIZE, 1));
		(*n)++;
		usleep(1000);
	}
}

static int child(void *arg)
{
	work(arg);
	return 14;
}

static void *work_here(void *arg)
{
	work(&pairs);
	return arg;
}

static void report(void)
{
	say("report %lu pairs %lu of the child\n", (unsigned long)pairs,
	    (unsigned long)pairs_of_child);
}

int main(void)
{
	pthread_t worker;
	int status;
	pid_t kid = clone(child, stack + STACK, CLONE_VM | SIGCHLD, &pairs_of_child);

	MUST(kid > 0 && !pthread_create(&worker, NULL, work_here, NULL));
	live_serve(report, NULL);
	over = true;
	MUST(!pthread_join(worker, NULL) && waitpid(kid, &status, 0) == kid);
	MUST(WIFEXITED(status) && WEXITSTATUS(status) == 14);
	say("sharers: done\n");
	return 0;
}
