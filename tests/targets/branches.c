/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches DEPTH TAIL ROUNDS: in each round, 2^DEPTH different call chains end in TAIL calls of one
 * function, and in a request of SIZE bytes that is freed at once: a call tree of more than
 * TAIL * 2^DEPTH nodes. Prints how many requests there were.
 */
#include "target.h"

enum { SIZE = 24 };

static unsigned long requests;
static int tail_length;

static NOINLINE void leaf(void)
{
	free(fill(malloc(SIZE), SIZE, (int)(requests & 0x7f)));
	requests++;
}

static NOINLINE void tail(int n)
{
	if (n)
		tail(n - 1);
	else
		leaf();
	__asm__ volatile("");
}

static void left(int n);
static void right(int n);

static NOINLINE void go_on(int n)
{
	if (!n) {
		tail(tail_length);
		__asm__ volatile("");
		return;
	}
	left(n - 1);
	right(n - 1);
	__asm__ volatile("");
}

static NOINLINE void left(int n)
{
	go_on(n);
	__asm__ volatile("");
}

static NOINLINE void right(int n)
{
	go_on(n);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	MUST(argc == 4);
	tail_length = atoi(argv[2]);
	for (int i = atoi(argv[3]); i; i--)
		go_on(atoi(argv[1]));
	say("requests %lu\n", requests);
	return 0;
}
