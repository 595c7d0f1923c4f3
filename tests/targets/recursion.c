/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutual recursion that allocates at every level on the way down and frees half on the way up. */
#include "target.h"

enum { DEPTH = 40, TIMES = 5, EVEN = 1861, ODD = 1867 };

static NOINLINE int is_even(int n);

static NOINLINE int is_odd(int n)
{
	void *p = fill(malloc(ODD), ODD, n);
	int odd = n ? is_even(n - 1) : 0;

	check(p, ODD, n);
	free(p);
	return odd;
}

static NOINLINE int is_even(int n)
{
	void *volatile p = fill(malloc(EVEN), EVEN, n);
	int even = n ? is_odd(n - 1) : 1;

	check(p, EVEN, n);
	return even;
}

int main(void)
{
	for (int i = 0; i < TIMES; i++)
		MUST(is_even(DEPTH));
	bin(EVEN, TIMES * (DEPTH / 2 + 1), 0);
	bin(ODD, TIMES * DEPTH / 2, TIMES * DEPTH / 2);
	say("recursion: %d is even\n", DEPTH);
	return 0;
}
