/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of mprof/mprof.h, each at a command on standard input: "alloc N" allocates N blocks of
 * MARK bytes and frees one in ten of them, "take N" keeps N blocks and "drop N" frees the last N of
 * those, "stop", "restart [FILE]", "autosave N", "suspend", "resume", "mark".
 */
#include "live.h"

#include "mprof/mprof.h"

enum { MARK = 6101, TAKE = 6121, MAX = 10000 };

static long allocs, taken;
static void *blocks[MAX];

static NOINLINE void allocate(long n)
{
	for (long i = 0; i < n; i++) {
		void *volatile p = fill(malloc(MARK), MARK, 1);

		if (i % 10 == 0)
			free(p);
	}
	allocs += n;
}

static void report(void)
{
	say("report %ld allocations\n", allocs);
}

static void other(const char *word)
{
	static char name[LIVE_LINE];

	if (!strncmp(word, "alloc ", 6)) {
		allocate(atol(word + 6));
	} else if (!strncmp(word, "take ", 5)) {
		for (long n = atol(word + 5); n && taken < MAX; n--, taken++)
			blocks[taken] = fill(malloc(TAKE), TAKE, (int)taken);
	} else if (!strncmp(word, "drop ", 5)) {
		for (long n = atol(word + 5); n && taken; n--) {
			check(blocks[taken - 1], TAKE, (int)(taken - 1));
			free(blocks[--taken]);
		}
	} else if (!strcmp(word, "stop")) {
		mprof_stop();
	} else if (!strcmp(word, "restart")) {
		mprof_restart(NULL);
	} else if (!strncmp(word, "restart ", 8)) {
		strcpy(name, word + 8);
		mprof_restart(name);
		memset(name, 'x', sizeof name - 1); /* it was read, not remembered */
	} else if (!strcmp(word, "suspend")) {
		mprof_suspend();
	} else if (!strcmp(word, "resume")) {
		mprof_resume();
	} else if (!strcmp(word, "mark")) {
		mprof_mark();
	} else if (!strncmp(word, "autosave ", 9)) {
		set_mprof_autosave(atoi(word + 9));
	}
	say("did %s\n", word);
}

int main(void)
{
	live_serve(report, other);
	say("marks: done\n");
	return 0;
}
