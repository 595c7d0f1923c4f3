/* SPDX-License-Identifier: BSD-2-Clause */
/* A program whose file is replaced by another one, or deleted, while it runs. */
#include "target.h"

static NOINLINE void lose(void)
{
	volatile char *p = malloc(7069);

	p[0] = 1;
	STAY();
}

/* vanish FILE [OTHER]: deletes FILE, which is itself, and copies OTHER there. */
int main(int argc, char **argv)
{
	if (argc < 2 || unlink(argv[1]))
		return 1;
	if (argc > 2 && link(argv[2], argv[1]))
		return 2;
	lose();
	STAY();
	return 0;
}
