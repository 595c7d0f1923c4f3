/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_FORWARD_H
#define MPROF_ARCH_FORWARD_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Is a function nothing but a way to another one? Such as an operator new that asks malloc() for
 * what it was asked for, and gives what it gets. All ways through its code are followed, with what
 * is known of each register and of each word of its stack; what is not understood is no proof.
 * This is about bytes and knows no process.
 */

/* What a function that is called is to the one that calls it. */
enum arch_callee_kind {
	ARCH_CALLEE_OTHER,	/* it may do anything */
	ARCH_CALLEE_GIVES,	/* it gives a block of as many bytes as @arg says, or none */
	ARCH_CALLEE_TAKES,	/* it takes the block @arg */
	ARCH_CALLEE_COMPUTES,	/* it neither asks for memory nor frees any */
	ARCH_CALLEE_FAILS,	/* it is called by who has got no memory */
	ARCH_CALLEE_LEAVES,	/* it does not return: an exception passes by */
	ARCH_CALLEE_ENDS,	/* it does not return: the program ends */
};

struct arch_callee {
	enum arch_callee_kind kind;
	uint8_t arg;		/* number of the argument, from 0 */
};

/* Where an exception goes on that passes by a call. */
enum arch_landing {
	ARCH_LANDING_NONE,	/* in one of the callers */
	ARCH_LANDING_HERE,	/* at *@at */
	ARCH_LANDING_UNKNOWN,
};

/* Who knows the file that the code is of. */
struct arch_forward_host {
	/* Up to @len bytes of code; how many there are. */
	size_t (*read)(void *ctx, uint64_t at, uint8_t *code, size_t len);
	/* Of a function by its address, or by the address of the word that is to have it. */
	struct arch_callee (*callee)(void *ctx, uint64_t at);
	struct arch_callee (*callee_in)(void *ctx, uint64_t word);
	enum arch_landing (*landing)(void *ctx, uint64_t call, uint64_t *at);
	void *ctx;
};

#define ARCH_FORWARD_NO_ARG 0xff

struct arch_forwarded {
	uint64_t at, size;	/* the function, in bytes */
	bool gives;		/* a block, or else takes one */
	uint8_t arg;		/* the size, or the block */
	uint8_t align_arg;	/* or ARCH_FORWARD_NO_ARG */
};

/**
 * Does the function do no more than to pass a request, or a free, on to one function? A request:
 * each time for as many bytes as it was asked for itself, or one for none, or what that is rounded
 * up to the alignment; what it returns is the block that it has got, or 0 if it has got none. While
 * it has got no memory it may call whatever it wants, as a new handler, and try again. A free:
 * once, unless the block is 0. Frames of it are within the function whenever it passes on.
 * @why  if not: why, as a phrase
 * Returns 0, -ENOTSUP, or -ENOMEM.
 */
int arch_forwards(const struct arch_forward_host *host, const struct arch_forwarded *f,
		  const char **why);

#endif
