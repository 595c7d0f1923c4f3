/* SPDX-License-Identifier: BSD-2-Clause */
/* deep [N]: allocates at the bottom of a recursion N frames deep, and on the way at every
 * 1000th. */
#include "target.h"

enum { TIMES = 5, BOTTOM = 2713, WAY = 2719 };

static NOINLINE void bottom(void)
{
	void *volatile p = fill(malloc(BOTTOM), BOTTOM, 1);

	(void)p;
}

static NOINLINE void down(long n)
{
	void *p = n % 1000 ? NULL : fill(malloc(WAY), WAY, 2);

	if (n == 1)
		bottom();
	else
		down(n - 1);
	free(p);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10000;

	for (int i = 0; i < TIMES; i++)
		down(n);
	bin(BOTTOM, TIMES, 0);
	bin(WAY, TIMES * (n / 1000), TIMES * (n / 1000));
	say("deep: back\n");
	return 0;
}
