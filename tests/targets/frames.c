/* SPDX-License-Identifier: BSD-2-Clause */
/* Known call chains, through functions of this file and of the C library in turns. The test
 * builds it with and without call frame information. */
#include "target.h"

#include <signal.h>

static void *kept[64];
static size_t n_kept;

NOINLINE static void keep(size_t n)
{
	kept[n_kept++] = fill(malloc(n), n, 1);
	STAY();
}

NOINLINE static void deeper(int depth, size_t n)
{
	/* Frames of more than one size. */
	volatile char room[24];

	room[0] = (char)depth;
	if (depth)
		deeper(depth - 1, n);
	else
		keep(n);
	room[1] = room[0];
	STAY();
}

static size_t compared;

NOINLINE static int compare(const void *a, const void *b)
{
	if (!compared++)
		deeper(1, 7019);
	STAY();
	return *(const int *)a - *(const int *)b;
}

NOINLINE static void sort(void)
{
	int v[] = { 3, 2 };

	qsort(v, LENGTH(v), sizeof *v, compare);
	STAY();
}

NOINLINE static void handle(int sig)
{
	(void)sig;
	deeper(0, 7027);
	STAY();
}

NOINLINE static void interrupt(void)
{
	raise(SIGUSR1);
	STAY();
}

int main(void)
{
	signal(SIGUSR1, handle);
	for (int i = 0; i < 10; i++)
		deeper(i % 2 * 7, 7001);
	sort();
	interrupt();
	bin(7001, 10, 0);
	bin(7019, 1, 0);
	bin(7027, 1, 0);
	return 0;
}
