/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_FAST_H
#define MPROF_FAST_FAST_H

#include "breakpoints/engine.h"

/*
 * The fast engine: the first instructions of a function become a jump to a pad, which tells an
 * agent in the program of the call; the agent writes into a ring that we read. No stop is needed
 * for that.
 */

struct journal;

struct fast_settings {
	bool arguments;		/* calloc's count and size apart, for logs */
	bool stack_pointers;	/* the caller's, for who measures stacks */
	bool check_unwinding;	/* the tracer unwinds each chain as well */
	struct journal *journal; /* may be NULL */
};

extern const struct engine_ops fast_engine;

/* What the engines of a session share; NULL: out of memory. */
struct engine_shared *fast_shared_new(const struct fast_settings *settings);
void fast_shared_free(struct engine_shared *s);

#endif
