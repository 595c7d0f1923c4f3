/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates where only write and exit are allowed: a tracer must not inject any system call. */
#include "target.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { TIMES = 200, SIZE = 3907 };

int main(void)
{
	void *keep[TIMES / 10];

	free(fill(malloc(100003), 100003, 1)); /* so that the heap need not grow below */
	bin(SIZE, TIMES, TIMES - TIMES / 10);
	MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	for (int i = 0; i < TIMES; i++) {
		void *p = fill(malloc(SIZE), SIZE, i);

		if (i % 10)
			free(p);
		else
			keep[i / 10] = p;
	}
	check(keep[3], SIZE, 30);
	say("confined: done\n");
	syscall(SYS_exit, 0);
	return 1;
}
