/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_PATCH_H
#define MPROF_ARCH_PATCH_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Replacing a function's first instructions by a jump; they are moved to a slot. All of this works
 * on bytes and needs no process.
 *
 * The jump takes ARCH_PATCH_JUMP bytes; the instructions in these bytes are moved whole, so the
 * rest of the last one stays behind the jump, unused. No thread may be in or return to the middle
 * of the moved ones: the plan refuses functions whose own code does that, and arch_patch_pc() is
 * for threads that happen to be there.
 */

#define ARCH_PATCH_JUMP 5	/* bytes of the jump */
#define ARCH_PATCH_INSNS 5	/* instructions that are moved, at most */
#define ARCH_PATCH_MOVED 19	/* bytes of them, at most: 4, and the longest instruction */
#define ARCH_PATCH_SLOT 48	/* bytes that a slot takes, at most */
#define ARCH_PATCH_BODY (1u << 20)	/* bytes of the largest function that is decoded */

/* A slot that is not farther from the function than this works for every plan. */
#define ARCH_PATCH_REACH (UINT64_C(1) << 30)

/* One instruction; the numbers are offsets, behind arch_patch.skip and in the slot. */
struct arch_patch_insn {
	uint8_t from, to;
	uint8_t displacement;	/* offset in it of a relative displacement; 0: there is none */
	uint8_t branch;		/* a direct branch: the opcode of its form with 32 bits; 0: none */
};

struct arch_patch {
	uint8_t skip;	/* bytes before the jump that stay: the target of indirect branches
			   (endbr64) */
	uint8_t size;	/* bytes behind them that are moved ... */
	uint8_t n;	/* ... in so many instructions; insn[n] is where they end */
	uint8_t own[ARCH_PATCH_MOVED]; /* these bytes; the first ARCH_PATCH_JUMP are written over */
	struct arch_patch_insn insn[ARCH_PATCH_INSNS + 1];
};

/**
 * Can a function's first instructions be replaced by a jump, and which are these?
 * @code, @len  the bytes of it that can be read, from its first instruction on
 * @size        its size; 0: not known
 * @why         the reason if not, as a phrase that follows the function's name in parentheses
 * Returns 0, or -errno: -EBUSY (another debugger's breakpoint is there), -EILSEQ (not code),
 * -ERANGE (no slot would be near enough), -ENOTSUP (other reasons).
 */
int arch_patch_plan(const uint8_t *code, size_t len, uint64_t size, struct arch_patch *out,
		    const char **why);

/**
 * The moved instructions, and a jump back behind them, for @slot.
 * @at   the function the plan is for     @out  room for ARCH_PATCH_SLOT bytes
 * Returns the number of bytes, or -ERANGE: @slot is too far from what they refer to, see
 * ARCH_PATCH_REACH.
 */
int arch_patch_slot(const struct arch_patch *p, taddr at, taddr slot, uint8_t *out);

/* The address of the jump of a function at @at. */
taddr arch_patch_place(const struct arch_patch *p, taddr at);

/* The jump from @from to @to. 0, or -ERANGE: out of reach. */
int arch_patch_jump(taddr from, taddr to, uint8_t out[ARCH_PATCH_JUMP]);
/**
 * The bytes to write in the jump's place when the function's own bytes are restored. Another
 * debugger's breakpoint on the first of them stays; and if one was there, the first byte may be the
 * function's own already: the kernel removes a uprobe by writing the byte of the file.
 * @own, @jump  the function's bytes, and the jump's
 * @now         the bytes that are there, replaced by those to write
 * Returns false if the jump is not there, or something else is: then nothing may be written.
 */
bool arch_patch_restore(const uint8_t own[ARCH_PATCH_JUMP], const uint8_t jump[ARCH_PATCH_JUMP],
			uint8_t now[ARCH_PATCH_JUMP]);

/**
 * Adjust the pc of a stopped task before the jump is written: behind the first of the instructions
 * to be moved it continues at the same instruction in the slot.
 * Returns 1 (*@pc has been changed), 0 (it is elsewhere), or -EILSEQ: it is in the middle of an
 * instruction, and the jump may not be written.
 */
int arch_patch_pc(const struct arch_patch *p, taddr at, taddr slot, taddr *pc);
/* The reverse, when the function's own bytes have been restored: *@pc may be in the slot. */
int arch_patch_pc_back(const struct arch_patch *p, taddr at, taddr slot, taddr *pc);

#endif
