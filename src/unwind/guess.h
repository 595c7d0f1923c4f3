/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_GUESS_H
#define MPROF_UNWIND_GUESS_H

#include "proc/modules.h"
#include "unwind/snapshot.h"

/*
 * The caller of a function that nothing describes, by the frame pointer that it may have set up. It
 * is a guess: a function that keeps none is left out of the chain.
 */

/* The program's executable memory, generated code too, as it was when an address was in none of
 * it. */
struct code_known {
	struct code_ranges ranges;
	uint64_t stop;		/* at which it was read; 0: never */
	/* Puts the program's own bytes in the place of breakpoints in @code, read from @at; or
	 * NULL. */
	void (*own_bytes)(void *ctx, taddr at, uint8_t *code, size_t len);
	void *ctx;
};

void code_known_release(struct code_known *c);

/* What is mapped has changed. */
void code_known_flush(struct code_known *c);

/* Is @pc in executable memory? True, too, if what is executable cannot be read. */
bool code_known_has(struct code_known *c, struct snapshot *memory, taddr pc);

struct guess {
	taddr at;		/* where the frame pointer points */
	taddr caller_pc, caller_sp;
	uint64_t saved;		/* the caller's frame pointer */
};

/**
 * @pc, @sp, @frame_pointer  of the frame whose caller is wanted; @pc inside of its call instruction
 * False: that is no frame pointer, or what it points to is nothing that a call has left.
 */
bool guess_caller(struct code_known *c, struct snapshot *memory, taddr pc, taddr sp,
		  taddr frame_pointer, struct guess *out);

/**
 * The only return address that is left on a stack: whoever has a frame at @sp can have been called
 * from nowhere else. No guess, if the stack began at @start.
 * False: there are others, or none, or it is not so near that this can be told. @out: at is where
 * it stands, saved is of no meaning.
 */
bool guess_only_caller(struct code_known *c, struct snapshot *memory, taddr sp, taddr start,
		       struct guess *out);

#endif
