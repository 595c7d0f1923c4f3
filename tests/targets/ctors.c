/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates before main and after it. */
#include "target.h"

enum { BEFORE = 6203, AFTER = 6211, BOTH = 6217 };

static void *early[4];

__attribute__((constructor)) static void before_main(void)
{
	for (size_t i = 0; i < LENGTH(early); i++)
		early[i] = fill(malloc(BEFORE), BEFORE, 1);
	free(early[0]);
}

__attribute__((destructor)) static void after_main(void)
{
	void *volatile p = fill(malloc(AFTER), AFTER, 2);

	p = fill(malloc(AFTER), AFTER, 2);
	free(p);
	check(early[1], BEFORE, 1);
	free(early[1]);
	bin(BEFORE, LENGTH(early), 2);
	bin(AFTER, 2, 1);
	bin(BOTH, 5, 5);
	say("ctors: after main\n");
}

static void *at_exit_block;

static void at_exit(void)
{
	free(at_exit_block);
}

int main(void)
{
	for (int i = 0; i < 4; i++)
		free(fill(malloc(BOTH), BOTH, i));
	at_exit_block = fill(malloc(BOTH), BOTH, 4);
	MUST(!atexit(at_exit));
	return 0;
}
