/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * topped: allocates what it is told to, in functions that are told apart, and reports the exact
 * result. Before "ready" it makes OLD blocks. "red N", "blue N": N more blocks are kept. "drop N":
 * N red ones are freed; "churn N": N blocks are made and freed at once; "old N": N of the old
 * blocks are freed. After each command it prints "did" and the command.
 */
#include "live.h"

enum { OLD = 10, RED = 5003, BLUE = 211, CHURN = 7019, MANY = 10000 };

struct red_thing {
	char bytes[RED];
};

static void *old[OLD];
static struct red_thing *reds[MANY];
static void *blues[MANY];
static unsigned long n_red, n_blue, n_old = OLD, made, freed;

static NOINLINE struct red_thing *make_red(void)
{
	struct red_thing *r = malloc(sizeof *r);

	MUST(r);
	r->bytes[0] = 'r';
	made++;
	return r;
}

static NOINLINE void keep_red(unsigned long n)
{
	for (; n; n--)
		reds[n_red++] = make_red();
}

/* A name that is wider in bytes than on a screen. */
static NOINLINE void bläue(unsigned long n)
{
	for (; n; n--) {
		blues[n_blue] = malloc(BLUE);
		MUST(blues[n_blue++]);
		made++;
	}
	STAY();
}

static NOINLINE void churn(unsigned long n)
{
	for (; n; n--) {
		char *volatile p = malloc(CHURN);

		MUST(p);
		p[0] = 'c';
		free(p);
		made++;
		freed++;
	}
	STAY();
}

static void drop(unsigned long n)
{
	for (; n; n--) {
		free(reds[--n_red]);
		freed++;
	}
}

static void report(void)
{
	say("report %lu bytes %lu blocks %lu made %lu freed\n", n_red * RED + n_blue * BLUE,
	    n_red + n_blue, made, freed);
}

static void other(const char *word)
{
	static const struct {
		const char *name;
		void (*act)(unsigned long n);
	} all[] = {
		{ "red ", keep_red }, { "blue ", bläue }, { "churn ", churn }, { "drop ", drop }
	};

	for (size_t i = 0; i < LENGTH(all); i++)
		if (!strncmp(word, all[i].name, strlen(all[i].name)))
			all[i].act(strtoul(word + strlen(all[i].name), NULL, 10));
	if (!strncmp(word, "old ", 4))
		for (unsigned long n = strtoul(word + 4, NULL, 10); n; n--)
			free(old[--n_old]);
	MUST(n_red <= MANY && n_blue <= MANY && n_old <= OLD);
	say("did %s\n", word);
}

int main(void)
{
	for (int i = 0; i < OLD; i++)
		MUST(old[i] = malloc(RED));
	live_serve(report, other);
	return 0;
}
