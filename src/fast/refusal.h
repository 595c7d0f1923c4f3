/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_REFUSAL_H
#define MPROF_FAST_REFUSAL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* What the engine does to a program before it changes any of its code. */
enum fast_step {
	FAST_KNOW,	/* read the agent's tables, which are a part of us */
	FAST_SECCOMP,	/* have it make system calls, whatever filter there is */
	FAST_VDSO,	/* find an instruction that makes them */
	FAST_AGENT,	/* map code */
	FAST_FILE,	/* make a file without a name */
	FAST_HERE,	/* open and map that here: our own limits hold, not the program's */
	FAST_SHARED,	/* map it there */
	FAST_OWNER,	/* have the kernel tell it when we have gone: a thread of our own */
};

/**
 * Why the engine cannot be used, where a step has failed.
 * @bytes  of the shared memory
 * Returns @err, which is not 0.
 */
int fast_refuse(struct error *why, enum fast_step step, int err, size_t bytes);

/* Why functions can have no pads, if mapping code near them has failed with @err. */
const char *fast_no_room(int err);

/**
 * Why what is mapped stays in a program that is let go; NULL: it does not, or the program has
 * ended.
 * @left  nobody can come back to our code
 * @tasks, @caller  there are tasks, and one that could make system calls
 * @err  what came of unmapping it
 */
const char *fast_stays(bool left, bool tasks, bool caller, int err);

#endif
