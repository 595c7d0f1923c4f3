/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_REFUSAL_H
#define MPROF_FAST_REFUSAL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The steps of the engine before it changes any of the program's code. */
enum fast_step {
	FAST_KNOW,	/* read the agent's call frame information, which is part of our binary */
	FAST_SECCOMP,	/* have the program make system calls, in spite of a seccomp filter */
	FAST_VDSO,	/* find a system call instruction */
	FAST_AGENT,	/* map code */
	FAST_FILE,	/* create the memfd */
	FAST_HERE,	/* open and map it here: under our own limits, not the program's */
	FAST_SHARED,	/* map it in the program */
	FAST_OWNER,	/* start a thread whose robust list tells the program of our end */
};

/**
 * Set the sentence why the engine cannot be used, as @step has failed with @err.
 * @bytes  of the shared memory
 * Returns @err, which is not 0.
 */
int fast_refuse(struct error *why, enum fast_step step, int err, size_t bytes);

/* Why functions cannot have pads, if mapping code near them has failed with @err. A constant. */
const char *fast_no_room(int err);

/**
 * Why our mappings stay in a program that is detached; NULL: they do not, or the program has ended.
 * @left  no task can return to our code
 * @tasks, @caller  there are tasks, and one that could make system calls
 * @err  the result of unmapping it
 */
const char *fast_stays(bool left, bool tasks, bool caller, int err);

#endif
