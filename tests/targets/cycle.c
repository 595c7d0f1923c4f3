/* SPDX-License-Identifier: BSD-2-Clause */
/* Two functions in a cycle, one that calls itself, one that is called from in and outside. */
#include "target.h"

static void *kept[8];
static int n;

static NOINLINE void F(int depth);

static void keep(void *p)
{
	kept[n++] = p;
}

static NOINLINE void leaf(void)
{
	keep(malloc(40));
}

static NOINLINE void G(int depth)
{
	if (depth) {
		F(depth - 1);
	} else {
		keep(malloc(10));
		leaf();
	}
	STAY();
}

static NOINLINE void F(int depth)
{
	G(depth);
	STAY();
}

static NOINLINE void walk(int times)
{
	keep(malloc(100));
	if (times > 1)
		walk(times - 1);
	STAY();
}

int main(void)
{
	F(1);
	leaf();
	walk(3);
	bin(10, 1, 0);
	bin(40, 2, 0);
	bin(100, 3, 0);
	return 0;
}
