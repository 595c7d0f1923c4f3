/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_FORWARD_H
#define MPROF_ARCH_FORWARD_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Does a function only forward to another one? Such as an operator new that requests from malloc()
 * what was requested from it, and returns the result. All paths through its code are followed, with
 * what is known about each register and each word of its stack; what is not understood counts as a
 * no. Decided from bytes; no process is needed.
 */

/* What a called function does, as far as the caller is concerned. */
enum arch_callee_kind {
	ARCH_CALLEE_OTHER,	/* it may do anything */
	ARCH_CALLEE_GIVES,	/* it allocates as many bytes as its argument @arg says, or returns
				   0 */
	ARCH_CALLEE_TAKES,	/* it frees the block @arg */
	ARCH_CALLEE_COMPUTES,	/* it neither allocates nor frees */
	ARCH_CALLEE_FAILS,	/* it is called when there is no memory */
	ARCH_CALLEE_LEAVES,	/* it does not return: it throws */
	ARCH_CALLEE_ENDS,	/* it does not return: the program ends */
};

struct arch_callee {
	enum arch_callee_kind kind;
	uint8_t arg;		/* number of the argument, from 0 */
};

/* Where an exception that leaves a call continues. */
enum arch_landing {
	ARCH_LANDING_NONE,	/* in one of the callers */
	ARCH_LANDING_HERE,	/* at *@at */
	ARCH_LANDING_UNKNOWN,
};

/* Access to the file that the code is from. */
struct arch_forward_host {
	/* Read up to @len bytes of code; returns how many there are. */
	size_t (*read)(void *ctx, uint64_t at, uint8_t *code, size_t len);
	/* What the function at @at does, or the one whose address will be in the word at @word. */
	struct arch_callee (*callee)(void *ctx, uint64_t at);
	struct arch_callee (*callee_in)(void *ctx, uint64_t word);
	enum arch_landing (*landing)(void *ctx, uint64_t call, uint64_t *at);
	void *ctx;
};

#define ARCH_FORWARD_NO_ARG 0xff

struct arch_forwarded {
	uint64_t at, size;	/* the function, in bytes */
	bool gives;		/* true: it allocates; false: it frees */
	uint8_t arg;		/* the argument that is the size, or the block */
	uint8_t align_arg;	/* or ARCH_FORWARD_NO_ARG */
};

/**
 * Does the function only pass a request, or a free, on to one other function? A request: always for
 * as many bytes as were requested from it, or 1 for 0, or that rounded up to the alignment; and it
 * returns the block that it got, or 0 if it got none. After a failure it may call anything, such as
 * a new handler, and try again. A free: once, unless the block is 0. The call that passes on is
 * always inside of the function's own code.
 * @why  the reason if not, as a phrase
 * Returns 0, -ENOTSUP, or -ENOMEM.
 */
int arch_forwards(const struct arch_forward_host *host, const struct arch_forwarded *f,
		  const char **why);

#endif
