/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same addresses for blocks that are lost and for blocks that are not. Its commands:
 *
 *	forget	forgotten() requests FORGOTTEN blocks and forgotten_head() HEADS lists of two,
 *		which nothing points at: "forgot FORGOTTEN HEADS"
 *	churn	a thread frees a block of hidden(), which looks lost because only the complement of
 *		its address is kept, gives its address to borrowed(), and one of borrowed() to
 *		hidden(); again and again: "churning" when each has changed hands once
 *	still	it stops doing so: "stilled"
 */
#include "live.h"

#ifndef RING
#define RING 4096
#endif

enum { FORGOTTEN = 500, HEADS = 100, SIZE = 72 };

static void *volatile table[RING];
static volatile uintptr_t ring[RING];
static atomic_bool still;
static atomic_ulong rounds;
static pthread_t churner;

/* Nothing of who had it before is left in it. */
static void *cleared(void *block)
{
	volatile char *c = block;

	MUST(block);
	for (size_t i = 0; i < SIZE; i++)
		c[i] = 0;
	return block;
}

static NOINLINE void *forgotten(void)
{
	return cleared(malloc(SIZE));
}

static NOINLINE void *forgotten_tail(void)
{
	return cleared(malloc(SIZE));
}

static NOINLINE void *forgotten_head(void)
{
	void *volatile *head = cleared(malloc(SIZE));

	*head = forgotten_tail();
	return (void *)head;
}

static NOINLINE void *borrowed(void)
{
	return cleared(malloc(SIZE));
}

static NOINLINE uintptr_t hidden(void)
{
	return ~(uintptr_t)cleared(malloc(SIZE));
}

static NOINLINE void churn_on(void)
{
	uint64_t state = 1;

	for (unsigned long i = 0; !atomic_load(&still); i++) {
		size_t at = i % RING, other = live_random(&state) % RING;

		free((void *)~ring[at]);
		void *was = table[other];
		table[other] = borrowed();
		free(was);
		ring[at] = hidden();
		atomic_fetch_add(&rounds, 1);
	}
}

/* What calls have left below the stack pointer may be part of the next call's frame; and
 * stacks of threads that have ended are roots. */
static NOINLINE void scrub(void)
{
	volatile char junk[16 << 10];

	for (size_t i = 0; i < sizeof junk; i++)
		junk[i] = 0;
}

static void *churn(void *arg)
{
	churn_on();
	scrub();
	return arg;
}

static NOINLINE void forget(void)
{
	for (int i = 0; i < FORGOTTEN; i++)
		forgotten();
	for (int i = 0; i < HEADS; i++)
		forgotten_head();
}

static void command(const char *word)
{
	if (!strcmp(word, "forget")) {
		forget();
		scrub();
		say("forgot %d %d\n", FORGOTTEN, HEADS);
	} else if (!strcmp(word, "churn")) {
		for (size_t i = 0; i < RING; i++) {
			table[i] = borrowed();
			ring[i] = hidden();
		}
		MUST(!pthread_create(&churner, NULL, churn, NULL));
		while (atomic_load(&rounds) < RING)
			sched_yield();
		say("churning\n");
	} else if (!strcmp(word, "still")) {
		atomic_store(&still, true);
		pthread_join(churner, NULL);
		say("stilled\n");
	}
}

static void report(void)
{
	say("report %lu\n", atomic_load(&rounds));
}

int main(void)
{
	live_serve(report, command);
	return 0;
}
