/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONFINE_APART_H
#define MPROF_CONFINE_APART_H

#include "base/error.h"
#include "confine/confine.h"

#include <stdbool.h>

/*
 * Work in a confined process: a copy of this one, which writes what comes of it into a file in
 * memory. What it may not do itself it asks for.
 */

enum { APART_ANSWER = 4096, APART_ASKED = 256 << 20 };	/* bytes, at most */

struct apart_work {
	/* In the confined process: @out is empty. 0 or -errno, which is not -EPIPE. */
	int (*work)(void *ctx, int out);
	/**
	 * Outside: what the process has asked for. Untrusted.
	 * @answer  "": what is there when it returns is the answer
	 * Returns 0 or -errno, which the process is told.
	 */
	int (*serve)(void *ctx, unsigned kind, const char *bytes, size_t n,
		     char answer[APART_ANSWER]);
	void *ctx;
	const int *fds;		/* what it may have of our descriptors */
	size_t n_fds;
	int *out;	/* not NULL: told the file before serve() is called, for work in parts */
	struct confine_bounds bounds;
};

/* How it ended. */
struct apart_end {
	bool fine;
	struct error why;	/* if not: what has been met, as in "reading it WHY" */
	uint32_t noted;		/* by apart_note() */
};

/**
 * Have it done, and wait for the end.
 * Returns the file, open for reading, if @end->fine; it is as untrusted as what was read.
 * Otherwise -1.
 */
int apart_run(const struct apart_work *w, struct apart_end *end);

/* In the confined process: what it is about, for whoever wants to know where it ended. */
void apart_note(uint32_t what);

/* In the confined process: end it, for a bound of memory has been met. */
__attribute__((noreturn)) void apart_out_of_memory(void);

/* In the confined process: have something done outside. @answer may be NULL. 0 or -errno. */
int apart_ask(unsigned kind, const void *bytes, size_t n, char answer[APART_ANSWER]);

#ifdef MPROF_TAKEN_OVER
/* Of a build that shows what a process that is taken over can do: tests/lib/taken_over.c. */
void apart_taken_over(void);
#endif

/* What is thought to be enough for any honest file. */
struct confine_bounds apart_bounds(void);

#endif
