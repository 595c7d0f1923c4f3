/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * holds [many|fork|live]: three sites that hold known bytes in known phases. After each of its own
 * events it prints "holds ALLOCS ONE TWO THREE", how often they have requested and what each holds,
 * and at the end of a phase "phase" with the same numbers. With "many" there are sixty more sites
 * that hold 100, 200, ... bytes; with "fork", a child does it once more from the start and prints
 * it as "child". With "live" it waits between the phases.
 */
#include "live.h"

#include <sys/wait.h>
#include <time.h>

enum { ONE = 10007, TWO = 20011, THREE = 30011, FEW = 8 };

static void *blocks[3][FEW];
static unsigned n[3], allocs;
static const char *who = "";

static NOINLINE void *one(void)
{
	void *p = malloc(ONE);
	STAY();
	return p;
}

static NOINLINE void *two(void)
{
	void *p = calloc(1, TWO);
	STAY();
	return p;
}

static NOINLINE void *three(void *old)
{
	void *p = realloc(old, THREE);
	STAY();
	return p;
}

static void tell(const char *what)
{
	say("%s%s %u %u %u %u\n", who, what, allocs, n[0] * ONE, n[1] * TWO, n[2] * THREE);
}

/* Time has passed since what was before: where several events have the same time, only the first
 * is certain to be a point. */
static void later(void)
{
	const struct timespec some = {.tv_nsec = 3000000};

	nanosleep(&some, NULL);
}

static void more(unsigned site)
{
	void *p = site == 0 ? one() : site == 1 ? two() : three(NULL);

	MUST(p);
	blocks[site][n[site]++] = p;
	allocs++;
	tell("holds");
}

static void less(unsigned site)
{
	free(blocks[site][--n[site]]);
	tell("holds");
}

/* A block of the second becomes one of the third. */
static void grow(void)
{
	void *p = three(blocks[1][--n[1]]);

	MUST(p);
	blocks[2][n[2]++] = p;
	allocs++;
	tell("holds");
}

static void end_phase(void)
{
	tell("phase");
	later();
}

static void rise(void)
{
	for (int i = 0; i < FEW - 1; i++)
		more(0);
	later();
	more(0);
	end_phase();
}

static void change(void)
{
	for (int i = 0; i < FEW / 2; i++) {
		less(0);
		more(1);
	}
	later();
	more(2);
	end_phase();
}

static void peak(void)
{
	grow();
	grow();
	grow();
	later();
	more(2);
	end_phase();
}

static void fall(void)
{
	while (n[0])
		less(0);
	while (n[2] > 1)
		less(2);
	later();
	less(2);
	end_phase();
}

#define SITE(x)                                                                                    \
	static NOINLINE void *site_##x(size_t size)                                                \
	{                                                                                          \
		void *p = malloc(size);                                                            \
		STAY();                                                                            \
		return p;                                                                          \
	}
#define TEN(does, x)                                                                               \
	does(x##0) does(x##1) does(x##2) does(x##3) does(x##4) does(x##5) does(x##6) does(x##7)    \
		does(x##8) does(x##9)
#define ALL(does) TEN(does, 1) TEN(does, 2) TEN(does, 3) TEN(does, 4) TEN(does, 5) TEN(does, 6)

ALL(SITE)

#define NAME(x) site_##x,
static void *(*const many[])(size_t) = {ALL(NAME)};

static void phases(void)
{
	rise();
	change();
	peak();
	fall();
}

static void next_phase(const char *word)
{
	static void (*const in_order[])(void) = {rise, change, peak, fall};
	static unsigned i;

	(void)word;
	MUST(i < LENGTH(in_order));
	in_order[i++]();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "live")) {
		live_serve(NULL, next_phase);
		return 0;
	}
	for (size_t i = 0; !strcmp(how, "many") && i < LENGTH(many); i++)
		MUST(many[i](100 * (i + 1)));
	phases();
	if (!strcmp(how, "fork")) {
		pid_t child = fork();

		if (!child) {
			who = "child ";
			allocs = n[1] = 0;
			more(2);
			later();
			phases();
			_exit(0);
		}
		MUST(waitpid(child, NULL, 0) == child);
	}
	return 0;
}
