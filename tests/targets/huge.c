/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of more than 4 GiB from libc's malloc, never touched. A machine may refuse; the truth is
 * then a failed call.
 */
#include "target.h"

#define GIB ((size_t)1 << 30)

static long failed;

static NOINLINE void *ask(size_t n, long *got)
{
	void *p = malloc(n);

	*got += !!p;
	failed += !p;
	return p;
}

int main(void)
{
	long five = 0, more = 0, moved = 0;

	for (int i = 0; i < 3; i++) {
		void *p = ask(5 * GIB + 1, &five);

		free(p);
	}
	char *p = ask(4 * GIB + 5, &more);
	if (p) {
		void *q = realloc(p, 4 * GIB + 65536 + 7); /* mremap copies nothing */

		moved = !!q;
		failed += !q;
	}
	bin(5 * GIB + 1, five, five);
	bin(4 * GIB + 5, more, moved);
	bin(4 * GIB + 65536 + 7, moved, 0);
	truth("failed %ld\n", failed);
	say("huge: done\n");
	return 0;
}
