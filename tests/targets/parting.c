/* SPDX-License-Identifier: BSD-2-Clause */
/* parting: when a child has been forked, its parent frees a block and requests another at once. The
 * child has the first one and not the second. */
#include "target.h"

#include <sys/wait.h>

enum { BEFORE = 5003, PARENTS = 787, CHILDS = 53 };

int main(void)
{
	void *volatile p = malloc(BEFORE);
	int status;
	pid_t child = fork();

	MUST(child >= 0);
	if (!child) {
		p = malloc(CHILDS);
		_exit(!p);
	}
	free(p);
	p = malloc(PARENTS);
	MUST(waitpid(child, &status, 0) == child && status == 0);
	say("parting: done\n");
	return 0;
}
