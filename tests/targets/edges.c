/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of zero bytes and of too many, and free(NULL). */
#include "target.h"

#include <malloc.h>

int main(void)
{
	void *zero[7], *volatile p;
	volatile size_t none = 0, much = PTRDIFF_MAX, half = SIZE_MAX / 2 + 1, all = SIZE_MAX;

	for (size_t i = 0; i < LENGTH(zero); i++)
		MUST((zero[i] = malloc(none)));
	for (size_t i = 0; i < 3; i++)
		free(zero[i]);
	MUST((p = calloc(none, 8)));
	MUST((p = calloc(8, none)));
	free(p);
	bin(0, 9, 4);
	for (int i = 0; i < 5; i++)
		free(NULL);

	MUST(!(p = malloc(much)) && errno == ENOMEM);
	MUST(!(p = malloc(all)));
	MUST(!(p = calloc(half, 2)) && errno == ENOMEM); /* the product is 0 */
	MUST(!(p = calloc(half, 3)));
	MUST(!(p = calloc(1, much)));
	MUST(!(p = realloc(NULL, much)));
	MUST(!(p = memalign(64, much)));
	MUST(!(p = valloc(much)));
	MUST(!(p = pvalloc(much)));
	MUST(!(p = aligned_alloc(64, much)));
	truth("failed 10\n");

	MUST((p = calloc(3, 1103)));
	bin(3309, 1, 0);
	say("edges: done\n");
	return 0;
}
