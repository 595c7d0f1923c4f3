/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_PADS_H
#define MPROF_ARCH_PADS_H

#include "taddr.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Pads: the targets of the jumps that replace a function's first instructions. A pad passes the
 * call's arguments and its result to the agent, and runs the function in between, by way of the
 * slot with the moved instructions (patch.h). While the byte `active` is 0 a pad only jumps to the
 * slot.
 *
 *	tail	tells the agent, and goes on in the function, which returns to its caller
 *	call	tells the agent, calls the function, tells the agent of its result, and returns
 *
 * The caller sees no difference: every general register, also those that a call may change, is what
 * the function alone would have made it; and so are the stack, and the status flags at the return
 * (nothing depends on the flags at an entry, which a pad's first instruction changes). The function
 * sees no difference either: all registers that can hold arguments and the alignment of the stack
 * are as they were. A call pad is not possible if an argument is on the stack. No return address is
 * changed, and returns match calls.
 *
 * The interface between a pad and the agent. The entries of the agent are functions of the System V
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
 * agent_enter is called first, by a call pad that has one, and changes only the register of its
 * result: if true, agent_begin is not called. It is for functions whose beginning is no event.
 *
 * An agent may change no vector, x87 or control register and not the direction flag: pads save the
 * general registers and the status flags and nothing else. It always returns. A pad that has begun
 * a call calls agent_end, even if `active` has become 0.
 */

enum arch_pad_form {
	ARCH_PAD_TAIL,
	ARCH_PAD_CALL,
};

#define ARCH_PAD_NOTHING 0xc3 /* an entry of the agent that begins with this byte does nothing */
#define ARCH_PAD_WORDS 3     /* the maximum number of arguments that are kept */
#define ARCH_PAD_NO_ARG 0xff /* no argument */
#define ARCH_PAD_MAX 256     /* bytes of a pad, at most */
#define ARCH_PAD_ROWS 64     /* call frame rows of a pad, at most */

struct arch_pad {
	enum arch_pad_form form;
	uint8_t args[ARCH_PAD_WORDS]; /* numbers of arguments, from 0 on, or ARCH_PAD_NO_ARG */
	uint32_t probe;
	taddr active; /* the byte that is not 0 while pads are active; within reach */
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
	uint16_t return_site; /* of a call pad: the offset to which the function returns; otherwise
				 0 */
	uint16_t n_rows;
	struct arch_pad_row rows[ARCH_PAD_ROWS];
};

/**
 * The code of a pad at @at.
 * Returns 0, -ERANGE (slot or flag is not within reach), or -EINVAL (no such argument).
 */
int arch_pad_write(const struct arch_pad *pad, taddr at, struct arch_pad_code *out);

/**
 * How many words are between the stack pointer and the return address of the caller when the
 * instruction at @offset is about to run. Pads save no callee-saved register on the stack, so
 * nothing else is needed to unwind from one.
 * Returns -1 if @offset is behind the pad's end.
 */
int arch_pad_depth(const struct arch_pad_code *code, size_t offset);

#endif
