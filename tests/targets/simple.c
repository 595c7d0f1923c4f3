/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing but malloc, realloc and free, for whichever allocator is linked or preloaded. */
#include "target.h"

enum { TIMES = 100, FIRST = 3259, SECOND = 3271 };

int main(void)
{
	void *p[TIMES];

	for (int i = 0; i < TIMES; i++)
		p[i] = fill(malloc(FIRST), FIRST, i);
	for (int i = 0; i < TIMES; i += 2) {
		p[i] = realloc(p[i], SECOND);
		check(p[i], FIRST, i);
	}
	for (int i = 0; i < TIMES; i++)
		free(p[i]);
	bin(FIRST, TIMES, TIMES);
	bin(SECOND, TIMES / 2, TIMES / 2);
	truth("unknown 0\n");
	say("simple: done\n");
	return 0;
}
