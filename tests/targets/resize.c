/* SPDX-License-Identifier: BSD-2-Clause */
/* Every case of realloc and reallocarray. */
#include "target.h"

#include <malloc.h>

static long allocs[64], frees[64];

/* the sizes are 4001 + 2 * i, for i below 64, and some large ones */
#define SIZE(i) (4001 + 2 * (size_t)(i))

static NOINLINE void *make(int i)
{
	allocs[i]++;
	return fill(malloc(SIZE(i)), SIZE(i), i);
}

static NOINLINE void *resize(void *p, int from, int to)
{
	size_t less = SIZE(from) < SIZE(to) ? SIZE(from) : SIZE(to);

	p = realloc(p, SIZE(to));
	MUST(p);
	check(p, less, from);
	frees[from]++;
	allocs[to]++;
	return fill(p, SIZE(to), to);
}

int main(void)
{
	void *p, *q, *volatile none = NULL;
	volatile size_t much = PTRDIFF_MAX, half = SIZE_MAX / 2 + 1, zero = 0;

	for (int i = 0; i < 40; i++) { /* grows, in place or not, then shrinks */
		p = make(0);
		q = i % 2 ? make(1) : NULL; /* in the way */
		p = resize(p, 0, 20 + i % 8);
		p = resize(p, 20 + i % 8, 40);
		p = resize(p, 40, 2);
		free(p);
		frees[2]++;
		if (q)
			free(q), frees[1]++;
	}
	p = make(3); /* to the same size */
	p = resize(p, 3, 3);
	p = realloc(none, SIZE(4)); /* an allocation */
	MUST(p);
	allocs[4]++;
	fill(p, SIZE(4), 4);
	MUST(!realloc(p, much) && errno == ENOMEM); /* fails: the block stays */
	check(p, SIZE(4), 4);
	MUST(!reallocarray(p, half, 2) && errno == ENOMEM); /* the product is 0, but not a free */
	MUST(!reallocarray(p, half, 3));
	MUST(!reallocarray(none, half, 3));
	MUST(!realloc(none, much));
	check(p, SIZE(4), 4);
	MUST(!realloc(p, zero)); /* a free */
	frees[4]++;
	p = make(5);
	MUST(!reallocarray(p, 0, 8)); /* a free too */
	frees[5]++;
	MUST((p = realloc(none, zero))); /* an allocation of nothing */
	free(p);
	bin(0, 1, 1);

	p = reallocarray(none, 3, 1367); /* 4101 = SIZE(50) */
	MUST(p);
	allocs[50]++;
	fill(p, SIZE(50), 50);
	p = reallocarray(p, 1, SIZE(51));
	frees[50]++;
	allocs[51]++;
	check(p, SIZE(50), 50);
	p = memalign(256, SIZE(52)); /* from an aligned block */
	allocs[52]++;
	fill(p, SIZE(52), 52);
	p = resize(p, 52, 53);

	p = fill(malloc(300001), 300001, 9); /* blocks with a mapping of their own: mremap */
	for (size_t n = 400001; n <= 900001; n += 100000)
		MUST((p = realloc(p, n)));
	MUST((p = realloc(p, 300001)));
	check(p, 300001, 9);
	p = resize(fill(realloc(p, SIZE(54)), SIZE(54), 54), 54, 55);
	allocs[54]++;
	bin(300001, 2, 2);
	for (size_t n = 400001; n <= 900001; n += 100000)
		bin(n, 1, 1);

	for (int i = 0; i < 64; i++)
		if (allocs[i])
			bin(SIZE(i), allocs[i], frees[i]);
	truth("failed 5\n");
	say("resize: done\n");
	return 0;
}
