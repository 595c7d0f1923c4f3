/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that does what servers do, for those who try mprof out: it has a catalogue that it keeps,
 * a cache of the latest orders, memory for a moment, a report that is the peak, and a mistake: of every
 * tenth order the receipt is forgotten.
 *
 *	shop [ORDERS [PAUSE]]	so many orders (1000; 0: until it is killed), and so many
 *				milliseconds after each (0)
 *
 * Build with -g, so that there are lines and types.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ARTICLES = 500, CACHED = 100, REPORT_EVERY = 400, REPORT_BYTES = 1 << 20 };

struct article {
	char name[40];
	long price;
};

struct receipt {
	long order;
	char text[120];
};

struct order {
	long number;
	struct article *articles[4];
};

static struct article *catalogue[ARTICLES];
static struct order *cache[CACHED];
static struct receipt *latest;

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static void load_catalogue(void)
{
	for (long i = 0; i < ARTICLES; i++) {
		struct article *a = must(malloc(sizeof *a));

		snprintf(a->name, sizeof a->name, "article %ld", i);
		a->price = 100 + i % 50;
		catalogue[i] = a;
	}
}

/* The oldest makes room for the newest. */
static void remember(struct order *o)
{
	free(cache[o->number % CACHED]);
	cache[o->number % CACHED] = o;
}

static struct order *take_order(long number)
{
	struct order *o = must(calloc(1, sizeof *o));

	o->number = number;
	for (long i = 0; i < 4; i++)
		o->articles[i] = catalogue[(number * 7 + i) % ARTICLES];
	return o;
}

static size_t print_lines(const struct order *o)
{
	char *text = must(malloc(256));
	int n = snprintf(text, 256, "%ld:", o->number);

	for (int i = 0; i < 4; i++)
		n += snprintf(text + n, 256 - (size_t)n, " %s", o->articles[i]->name);
	size_t len = strlen(text);

	free(text);
	return len;
}

/* The mistake: every tenth time the one before is not freed. */
static void write_receipt(const struct order *o)
{
	struct receipt *r = must(malloc(sizeof *r));

	r->order = o->number;
	snprintf(r->text, sizeof r->text, "%zu letters", print_lines(o));
	if (o->number % 10)
		free(latest);
	latest = r;
}

static void report(void)
{
	char *text = must(malloc(REPORT_BYTES));

	memset(text, '-', REPORT_BYTES);
	free(text);
}

static void handle_order(long number)
{
	struct order *o = take_order(number);

	write_receipt(o);
	remember(o);
	if (number % REPORT_EVERY == 0)
		report();
}

int main(int argc, char **argv)
{
	long orders = argc > 1 ? atol(argv[1]) : 1000, pause = argc > 2 ? atol(argv[2]) : 0;
	struct timespec t = { pause / 1000, pause % 1000 * 1000000 };

	load_catalogue();
	for (long n = 1; !orders || n <= orders; n++) {
		handle_order(n);
		if (pause)
			nanosleep(&t, NULL);
	}
	return 0;
}
