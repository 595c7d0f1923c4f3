/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_PATCH_H
#define MPROF_ARCH_PATCH_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A jump in the place of a function's first instructions, which are moved to a slot: what a port
 * owes for it. All of this is about bytes and knows no process.
 *
 * The jump takes ARCH_PATCH_JUMP bytes; the instructions that it takes them from are moved whole,
 * so more bytes are left of the last one, which keep what they had and begin nothing. Nobody may
 * stand in or come back to the middle of the moved ones: the plan refuses what does so by itself,
 * and arch_patch_pc() is for threads that happen to be there.
 */

#define ARCH_PATCH_JUMP 5	/* bytes of the jump that takes the place of instructions */
#define ARCH_PATCH_INSNS 5	/* so many instructions are moved at most */
#define ARCH_PATCH_MOVED 19	/* bytes of them, at most: 4, and the longest instruction */
#define ARCH_PATCH_SLOT 48	/* bytes that a slot takes, at most */
#define ARCH_PATCH_BODY (1u << 20)	/* bytes of the largest function that is looked through */

/* A slot that is no farther from the function serves every plan. */
#define ARCH_PATCH_REACH (UINT64_C(1) << 30)

/* One instruction; the numbers are offsets, behind arch_patch.skip and in the slot. */
struct arch_patch_insn {
	uint8_t from, to;
	uint8_t displacement;	/* within it: the distance to what it names; 0: there is none */
	uint8_t branch;		/* a direct branch: the opcode of its form with 32 bits; 0: none */
};

struct arch_patch {
	uint8_t skip;	/* bytes before the jump, which stay: what an indirect branch has to find */
	uint8_t size;	/* bytes behind them that are moved ... */
	uint8_t n;	/* ... in so many instructions; insn[n] is where they end */
	uint8_t own[ARCH_PATCH_MOVED]; /* these bytes; the first ARCH_PATCH_JUMP are written over */
	struct arch_patch_insn insn[ARCH_PATCH_INSNS + 1];
};

/**
 * Can a function have a jump in the place of its first instructions, and which are these?
 * @code, @len  what can be read of it, from its first instruction on
 * @size        how long it is; 0: nobody tells
 * @why         if not: why, as a phrase that follows the function's name in parentheses
 * Returns 0, or -errno: -EBUSY (a breakpoint of somebody else's is there), -EILSEQ (not code),
 * -ERANGE (no slot would be near enough), -ENOTSUP (the rest).
 */
int arch_patch_plan(const uint8_t *code, size_t len, uint64_t size, struct arch_patch *out,
		    const char **why);

/**
 * The moved instructions, and a jump back behind them, for @slot.
 * @at   the function the plan is for     @out  room for ARCH_PATCH_SLOT bytes
 * Returns the number of bytes, or -ERANGE: @slot is too far from what they name, but see
 * ARCH_PATCH_REACH.
 */
int arch_patch_slot(const struct arch_patch *p, taddr at, taddr slot, uint8_t *out);

/* Where the jump of a function at @at stands. */
taddr arch_patch_place(const struct arch_patch *p, taddr at);

/* The jump that stands at @from; -ERANGE: it does not reach @to. */
int arch_patch_jump(taddr from, taddr to, uint8_t out[ARCH_PATCH_JUMP]);
/**
 * What is to be where the jump stood, when the function gets its own bytes back. Somebody else's
 * breakpoint on the first of them stays; and if one was there, the first may be the function's
 * already: the kernel takes a uprobe off by the byte of the file.
 * @own, @jump  the bytes that were there before, and the jump's
 * @now         what is there, which becomes what is to be
 * Returns false if there is nothing of the jump, or anything else: then nothing may be written.
 */
bool arch_patch_restore(const uint8_t own[ARCH_PATCH_JUMP], const uint8_t jump[ARCH_PATCH_JUMP],
			uint8_t now[ARCH_PATCH_JUMP]);

/**
 * The pc of a task that is stopped, before the jump is written: one that is behind the first of the
 * instructions that are to be moved goes on at the same one in the slot.
 * Returns 1 (*@pc has been changed), 0 (it is elsewhere and stays), or -EILSEQ: it is in the middle
 * of an instruction, and nothing may be written.
 */
int arch_patch_pc(const struct arch_patch *p, taddr at, taddr slot, taddr *pc);
/* The same the other way round, when the function's own bytes are back: *@pc may be in the slot. */
int arch_patch_pc_back(const struct arch_patch *p, taddr at, taddr slot, taddr *pc);

#endif
