/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The largest number of bytes live at one time is known: nothing else in this process allocates.
 * A realloc never counts the old and the new block at once.
 */
#include "target.h"

int main(void)
{
	void *p[10], *q;

	for (int i = 0; i < 10; i++)
		MUST((p[i] = malloc(8111)));
	for (int i = 0; i < 10; i++)
		free(p[i]);
	MUST((q = malloc(70001)));
	MUST((q = realloc(q, 80003)));
	MUST((p[0] = calloc(2, 600)));
	free(q); /* the peak was 81203, above the 81110 before; with the old block it would be
		    more */
	free(p[0]);
	MUST((q = malloc(81201)));
	bin(8111, 10, 10);
	bin(70001, 1, 1);
	bin(80003, 1, 1);
	truth("peak 81203\n");
	say("peak: passed\n");
	return 0;
}
