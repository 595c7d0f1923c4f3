/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONFINE_APART_H
#define MPROF_CONFINE_APART_H

#include "base/error.h"
#include "confine/confine.h"

#include <stdbool.h>

/*
 * Work in a confined process: a copy of this one, which writes its result to a file in memory. For
 * what it may not do itself it sends requests to this process.
 */

enum { APART_ANSWER = 4096, APART_ASKED = 256 << 20 };	/* largest answer and request, in bytes */

struct apart_work {
	/* Runs in the confined process; @out is the file, empty. 0 or -errno, which is not
	 * -EPIPE. */
	int (*work)(void *ctx, int out);
	/**
	 * Runs in this process: carry out a request of the confined process. All of it is
	 * untrusted.
	 * @answer  ""; what it holds on return is sent as the answer
	 * Returns 0 or -errno, which is sent with the answer.
	 */
	int (*serve)(void *ctx, unsigned kind, const char *bytes, size_t n,
		     char answer[APART_ANSWER]);
	/* Called in this process several times a second while it waits for the other one. May be
	 * NULL. */
	void (*waits)(void *ctx);
	void *ctx;
	bool pauses;		/* apart_pause() may be called; see apart_can_pause() */
	const int *fds;		/* descriptors that the confined process may keep */
	size_t n_fds;
	int *out;	/* if not NULL, set to the file before serve() is called, for work in
			   parts */
	struct confine_bounds bounds;
	unsigned patience_s;	/* elapsed time, for one that sleeps; 0: more than anybody needs */
};

/* How it ended. */
struct apart_end {
	bool fine;
	struct error why;	/* if not: the reason, as in "reading it WHY" */
	uint32_t noted;		/* the last value passed to apart_note() */
};

/**
 * Run the work in a confined process and wait for its end.
 * Returns the file, open for reading, if @end->fine; it is as untrusted as what was read. Otherwise
 * -1.
 */
int apart_run(const struct apart_work *w, struct apart_end *end);

/*
 * The same in steps, for a process that is kept and asked again. The question is written to the
 * file, and so is the answer. It is stopped while it pauses; the limits are for all questions
 * together.
 */
struct apart;

/* Does this kernel have what it takes? */
bool apart_can_pause(void);

/* Begin one. Only its @fds need not outlive it. NULL: @end->why says why there is none. */
struct apart *apart_begin(const struct apart_work *w, struct apart_end *end);

/* Serve it until it pauses (true), or there is nothing more to do but apart_finish() (false). */
bool apart_serve(struct apart *a);

/* Let it go on after a pause. 0, or -errno: only apart_finish() is left. */
int apart_go_on(struct apart *a);

/* Was it begun by this process, and not by one that this is a fork of? Others may only call
 * apart_finish(), which does not touch it then. */
bool apart_is_ours(const struct apart *a);

/* Wait for its end, or end it if it pauses. As apart_run(). */
int apart_finish(struct apart *a, struct apart_end *end);

/* In the confined process: wait until the parent calls apart_go_on(). 0, or -errno: it does not. */
int apart_pause(void);

/* In the confined process: record what it works on, so that the parent knows where it ended. */
void apart_note(uint32_t what);

/* In the confined process: end it, because a memory limit has been reached. */
__attribute__((noreturn)) void apart_out_of_memory(void);

/* In the confined process: send a request and wait for the answer. @answer may be NULL. 0 or
 * -errno. */
int apart_ask(unsigned kind, const void *bytes, size_t n, char answer[APART_ANSWER]);

#ifdef MPROF_TAKEN_OVER
/* For a build that shows what a process that was taken over can do: tests/lib/taken_over.c. */
void apart_taken_over(void);
#endif

/* Bounds that should be enough for any honest file. */
struct confine_bounds apart_bounds(void);

#endif
