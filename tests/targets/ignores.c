/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that two functions resize, each those of the other; all sizes are multiples of 16. */
#include <stdlib.h>
#include <string.h>

static void *hidden(void *p, size_t n)
{
	return realloc(p, n);
}

static void *seen(void *p, size_t n)
{
	return realloc(p, n);
}

int main(int argc, char **argv)
{
	void *a = seen(NULL, 1600), *h = hidden(NULL, 3200);

	h = seen(h, 6400);
	a = seen(a, 16000);
	h = hidden(h, 12800);
	h = seen(h, 25600);
	free(h);
	if (argc > 1 && !strcmp(argv[1], "both")) {
		a = hidden(a, 32000);
		a = seen(a, 160);
		a = hidden(a, 48);
	}
	free(a);
	a = seen(NULL, 64);
	free(a);
	return 0;
}
