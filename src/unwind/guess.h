/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_GUESS_H
#define MPROF_UNWIND_GUESS_H

#include "proc/modules.h"
#include "unwind/snapshot.h"

/*
 * The caller of a function without call frame information, by the frame pointer that it may have
 * set up. It is a guess: if the function has not, its caller is left out of the chain.
 */

/* The program's executable memory, including generated code, read again when an address is not in
 * it. */
struct code_known {
	struct code_ranges ranges;
	uint64_t stop;		/* the stop at which it was read; 0: never */
	/* Replaces breakpoints by the program's own bytes in @code, read from @at; or NULL. */
	void (*own_bytes)(void *ctx, taddr at, uint8_t *code, size_t len);
	void *ctx;
};

void code_known_release(struct code_known *c);

/* What is mapped has changed. */
void code_known_flush(struct code_known *c);

/* Is @pc in executable memory? Also true if the map cannot be read. */
bool code_known_has(struct code_known *c, struct snapshot *memory, taddr pc);

struct guess {
	taddr at;		/* where the frame pointer points */
	taddr caller_pc, caller_sp;
	uint64_t saved;		/* the caller's frame pointer */
};

/**
 * @pc, @sp, @frame_pointer  of the frame whose caller is sought; @pc inside of its call instruction
 * False: that is no frame pointer, or there is no return address where it points.
 */
bool guess_caller(struct code_known *c, struct snapshot *memory, taddr pc, taddr sp,
		  taddr frame_pointer, struct guess *out);

/**
 * The only return address left on a stack, from which the frame at @sp must have been called. This
 * is no guess if the stack began at @start.
 * False: there are several, or none, or @start is too far away. @out: at is the address of the
 * return address, saved is not set.
 */
bool guess_only_caller(struct code_known *c, struct snapshot *memory, taddr sp, taddr start,
		       struct guess *out);

#endif
