/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frees that are the last thing a function does, and so jumps (-O2): the next call of that function
 * has its return address where the free before had it, and frees in turn. And one call site that
 * sometimes calls free, and sometimes a function that frees or allocates.
 */
#include "target.h"

enum { TIMES = 100 };
enum { RECORD = 3216, NAME = 3221, OWNER = 3229, OWNED = 3251, PLAIN = 3253, NEXT = 3257 };

struct record {
	char *name;
	char room[RECORD - sizeof(char *)];
};

static void *made[TIMES];

static NOINLINE void drop_record(void *arg)
{
	struct record *r = arg;

	free(r->name);
	free(r);
}

static NOINLINE void drop_owner(void *arg)
{
	free(*(void **)arg);
	free(arg);
}

static NOINLINE void make_next(void *arg)
{
	*(void **)arg = malloc(NEXT);
	STAY();
}

static NOINLINE void call(void (*what)(void *), void *arg)
{
	what(arg);
	STAY();
}

static void records(void)
{
	for (int i = 0; i < TIMES; i++) {
		struct record *r = malloc(RECORD);

		r->name = malloc(NAME);
		made[i] = r;
	}
	for (int i = 0; i < TIMES; i++)
		drop_record(made[i]);
	bin(RECORD, TIMES, TIMES);
	bin(NAME, TIMES, TIMES);
}

static void destructors(void)
{
	for (int i = 0; i < TIMES; i++) {
		made[i] = malloc(i % 2 ? OWNER : PLAIN);
		if (i % 2)
			*(void **)made[i] = malloc(OWNED);
	}
	for (int i = 0; i < TIMES; i++)
		call(i % 2 ? drop_owner : free, made[i]);
	bin(OWNER, TIMES / 2, TIMES / 2);
	bin(OWNED, TIMES / 2, TIMES / 2);
	bin(PLAIN, TIMES / 2, TIMES / 2);
}

static void in_turn(void)
{
	for (int i = 0; i < TIMES; i++) {
		call(make_next, &made[i]);
		call(free, i ? made[i - 1] : NULL);
	}
	bin(NEXT, TIMES, TIMES - 1);
}

int main(void)
{
	records();
	destructors();
	in_turn();
	say("dtors: done\n");
	return 0;
}
