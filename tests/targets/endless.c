/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A malloc that calls a function which calls malloc, and so on: as deep as the argument says; or
 * without end, like a malloc that prints if printing allocates.
 */
#include "bump.h"

static long left;	/* calls to go; below 0: they do not end */
static void *(*volatile by_pointer)(size_t) = malloc;

static NOINLINE void call_again(void)
{
	if (left && left--)
		malloc(1871);
	STAY();
}

/* This call may reach any function. */
static NOINLINE void call_again_by_pointer(void)
{
	if (left && left--)
		by_pointer(1873);
	STAY();
}

int main(int argc, char **argv)
{
	void (*const ways[])(void) = { call_again, call_again_by_pointer };
	long depth = argc > 1 ? atol(argv[1]) : -1;

	for (size_t i = 0; i < LENGTH(ways); i++) {
		bump_hook = ways[i];
		for (int n = 0; n < 3; n++) {
			left = depth;
			free(malloc(1867));
		}
		bump_hook = NULL;
		free(malloc(1871));
	}
	bin(1867, 6, 6);
	bin(1871, 2, 2);
	bin(1873, 0, 0);
	say("endless: done\n");
	return 0;
}
