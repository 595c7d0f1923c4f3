/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of all sizes up to the one in the argument, one each. */
#include "target.h"

static void *volatile kept;

int main(int argc, char **argv)
{
	for (int size = 1; argc > 1 && size <= atoi(argv[1]); size++)
		kept = malloc((size_t)size);
	return 0;
}
