/* SPDX-License-Identifier: BSD-2-Clause */
/* Children made with CLONE_UNTRACED, which are not reported to their parent's tracer. They
 * allocate, in a copy of the memory or in the memory itself. */
#include "target.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

enum { SIZE = 4421, BLOCKS = 5, STACK = 1 << 16 };

static char stack[STACK] __attribute__((aligned(16)));

static int child(void *arg)
{
	for (int i = 0; i < BLOCKS; i++)
		free(fill(malloc(SIZE), SIZE, i));
	return *(int *)arg;
}

static void clone_and_wait(int flags, int want)
{
	int status;
	pid_t pid = clone(child, stack + STACK, flags | CLONE_UNTRACED | SIGCHLD, &want);

	MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
	say("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	MUST(WIFEXITED(status) && WEXITSTATUS(status) == want);
}

int main(void)
{
	clone_and_wait(0, 11);
	clone_and_wait(CLONE_VM, 12);
	clone_and_wait(CLONE_VM | CLONE_VFORK, 13);
	free(fill(malloc(SIZE), SIZE, 1));
	bin(SIZE, 2 * BLOCKS + 1, 2 * BLOCKS + 1);
	say("untraced: done\n");
	return 0;
}
