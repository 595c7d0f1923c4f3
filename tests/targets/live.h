/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_LIVE_H
#define MPROF_TESTS_LIVE_H

/*
 * A program that runs until it is told to end, by commands on standard input, a word a line:
 * "report" makes it print a line that begins with "report", "quit" ends it, all others are its own.
 * It prints "ready" when it has done whatever comes before. Nothing in here allocates.
 */
#include "target.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#define LIVE_LINE 256

/* Read a line of at most LIVE_LINE - 1 bytes. False: standard input has ended. */
static bool live_line(char line[LIVE_LINE])
{
	size_t n = 0;

	while (n < LIVE_LINE - 1) {
		ssize_t k = read(STDIN_FILENO, line + n, 1);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		if (line[n] == '\n')
			break;
		n++;
	}
	line[n] = '\0';
	return true;
}

/* Serve commands until "quit" or the end of standard input. @other may be NULL. */
UNUSED static void live_serve(void (*report)(void), void (*other)(const char *word))
{
	char line[LIVE_LINE];

	say("ready %d\n", (int)getpid());
	while (live_line(line)) {
		if (!strcmp(line, "quit"))
			return;
		if (!strcmp(line, "report"))
			report();
		else if (other)
			other(line);
	}
}

/* A small generator for each thread; no state is shared. */
UNUSED static unsigned live_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*state >> 33);
}

#endif
