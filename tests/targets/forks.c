/* SPDX-License-Identifier: BSD-2-Clause */
/* fork without exec: the children free blocks they inherited and make their own. */
#include "target.h"

#include <sys/wait.h>

enum { CHILDREN = 3, PARENT = 5101, CHILD = 5107, BLOCKS = 10 };

static void *mine[BLOCKS];

static void child(int i)
{
	void *p[6];

	target_is_child = true;
	for (int k = 0; k < 4; k++) {
		check(mine[k], PARENT, k);
		free(mine[k]);
	}
	for (size_t k = 0; k < LENGTH(p); k++)
		p[k] = fill(malloc(CHILD), CHILD, 1);
	free(p[0]);
	free(p[1]);
	bin(CHILD, LENGTH(p), 2);
	truth("child-unknown %d 4\n", (int)getpid());
	if (i)
		_exit(i);
	exit(i);
}

int main(void)
{
	for (int i = 0; i < BLOCKS; i++)
		mine[i] = fill(malloc(PARENT), PARENT, i);
	for (int i = 0; i < CHILDREN; i++) {
		int status;
		pid_t pid = fork();

		MUST(pid >= 0);
		if (!pid)
			child(i);
		MUST(waitpid(pid, &status, 0) == pid);
		MUST(WIFEXITED(status) && WEXITSTATUS(status) == i);
		free(mine[i]);
		mine[i] = fill(malloc(PARENT), PARENT, i);
	}
	bin(PARENT, BLOCKS + CHILDREN, CHILDREN);
	bin(CHILD, 0, 0);
	say("forks: done\n");
	return 0;
}
