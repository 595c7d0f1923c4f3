/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates while the processor checks the alignment of every access (EFLAGS.AC): an unaligned
 * access of mprof's code in the program would kill it by SIGBUS. */
#include "target.h"

enum { BLOCKS = 64, DEEP = 24, SIZE = 1016, LARGE = 300016 };

static void *blocks[BLOCKS];

static void check_alignment(bool on)
{
	if (on)
		__asm__ volatile("pushfq; orq $0x40000,(%%rsp); popfq" ::: "memory", "cc");
	else
		__asm__ volatile("pushfq; andq $~0x40000,(%%rsp); popfq" ::: "memory", "cc");
}

/* From stacks of all depths: they are followed by what is in the program, too. */
static NOINLINE void *allocate(size_t size, int depth)
{
	void *p = depth ? allocate(size, depth - 1) : malloc(size);

	STAY();
	return p;
}

static NOINLINE void release(void *p, int depth)
{
	if (depth)
		release(p, depth - 1);
	else
		free(p);
	STAY();
}

static void play(size_t size)
{
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = allocate(size, i % DEEP);
	for (int i = 0; i < BLOCKS; i += 2)
		blocks[i] = realloc(blocks[i], size - 8);
	for (int i = 0; i < BLOCKS; i++)
		release(blocks[i], i % 3);
}

int main(void)
{
	for (int i = 0; i < 2; i++) { /* once without, so that all is bound and mapped */
		check_alignment(i == 1);
		play(SIZE);
		play(LARGE);
		check_alignment(false);
	}
	say("alignment was checked\n");
	bin(SIZE, 2 * BLOCKS, 2 * BLOCKS);
	bin(SIZE - 8, BLOCKS, BLOCKS);
	bin(LARGE, 2 * BLOCKS, 2 * BLOCKS);
	bin(LARGE - 8, BLOCKS, BLOCKS);
	return 0;
}
