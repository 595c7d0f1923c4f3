/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_PADS_H
#define MPROF_ARCH_PADS_H

#include "taddr.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Pads: what the jump in the place of a function's first instructions leads to. A pad hands the
 * call's arguments and its result to the agent, and has the function itself run in between; there
 * the moved instructions are (patch.h). While the byte `active` is 0 a pad does nothing at all.
 *
 *	tail	tells the agent, and goes on in the function, which returns to its caller
 *	call	tells the agent, calls the function, tells the agent of its result, and returns
 *
 * To its caller a pad is the function: every general register, also those that a call may change,
 * is what the function alone would have made it; and so are the stack, and the status flags at the
 * return (nothing depends on what they are at an entry; a pad's first instruction changes them).
 * To the function it is its caller: all registers that can hold arguments and the alignment of the
 * stack are as they were. No argument may be on the stack where a pad calls. No return address is
 * changed, and returns match calls.
 *
 * What a pad and the agent owe each other. The entries of the agent are functions of the System V
 * ABI:
 *
 *	void agent_free(uint64_t ptr, const uint64_t *sp, uint64_t fp, uint64_t probe);
 *	void agent_begin(const uint64_t *words, const uint64_t *sp, uint64_t fp, uint64_t probe);
 *	bool agent_enter(const uint64_t *sp);
 *	void agent_end(uint64_t result, const uint64_t *sp, uint64_t fp, uint64_t probe,
 *		       const uint64_t *words);
 *
 *	ptr	the argument that a tail pad is about: arch_pad.args[0]
 *	words	the arguments arch_pad.args, which a call pad keeps on the stack, directly below sp:
 *		words[0], or all of them if there are more; the same at the beginning and the end
 *	result	what the function returned
 *	sp	where the return address of the function's caller is; the caller's own stack begins
 *		at sp + 1
 *	fp	the frame pointer register as the caller has it. All other registers that a call
 *		keeps are the caller's, too
 *	probe	arch_pad.probe
 *
 * agent_enter is asked first, by a call pad that has one, and changes no register but the one that
 * its answer is in: true, and agent_begin is not called. It is for functions whose beginning is no
 * event.
 *
 * An agent may change no vector, x87 or control register and not the direction flag: pads save the
 * general registers and the status flags and nothing else. It returns, always: a pad that has begun
 * a call tells of its end, even if `active` has become 0.
 */

enum arch_pad_form {
	ARCH_PAD_TAIL,
	ARCH_PAD_CALL,
};

#define ARCH_PAD_NOTHING 0xc3 /* an entry of the agent that begins with this byte does nothing */
#define ARCH_PAD_WORDS 3     /* so many arguments are kept, at most */
#define ARCH_PAD_NO_ARG 0xff /* there is none in this place */
#define ARCH_PAD_MAX 256     /* bytes of a pad, at most */
#define ARCH_PAD_ROWS 64     /* rows of its description, at most */

struct arch_pad {
	enum arch_pad_form form;
	uint8_t args[ARCH_PAD_WORDS]; /* numbers of arguments, from 0 on, or ARCH_PAD_NO_ARG */
	uint32_t probe;
	taddr active; /* the byte that is not 0 while pads are to tell; within reach */
	taddr slot;   /* the function's moved instructions; within reach */
	taddr enter;  /* agent_enter, anywhere; 0: agent_begin is always called */
	taddr begin;  /* agent_free or agent_begin, anywhere */
	taddr end;    /* agent_end; of a tail pad: unused */
};

/* From @offset on, until the next row, the return address of the caller is @words above the stack
 * pointer. */
struct arch_pad_row {
	uint8_t offset, words;
};

struct arch_pad_code {
	uint8_t bytes[ARCH_PAD_MAX];
	uint16_t size;
	uint16_t return_site; /* of a call pad: the offset that the function returns to; or 0 */
	uint16_t n_rows;
	struct arch_pad_row rows[ARCH_PAD_ROWS];
};

/**
 * The code of a pad that is to stand at @at.
 * Returns 0, -ERANGE (what has to be within reach is not), or -EINVAL (no such argument).
 */
int arch_pad_write(const struct arch_pad *pad, taddr at, struct arch_pad_code *out);

/**
 * How many words are between the stack pointer and the return address of the caller when the
 * instruction at @offset is about to run. Pads keep no register on the stack that a call keeps, so
 * this is all that is needed for a step out of one.
 * Returns -1: the pad ends before.
 */
int arch_pad_depth(const struct arch_pad_code *code, size_t offset);

#endif
