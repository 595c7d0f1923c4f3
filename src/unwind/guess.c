/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/unwind_internal.h"

#include "arch/arch.h"

#include <string.h>

/* The largest frame: as much stack as a thread has by default. */
#define FRAME_MAX ((taddr)8 << 20)

/* How much of a stack the C library uses before it calls the program; musl uses 48 bytes. */
#define START_MAX 1024

void code_known_release(struct code_known *c)
{
	code_ranges_release(&c->ranges);
}

void code_known_flush(struct code_known *c)
{
	c->ranges.n = 0;
	c->stop = 0;
}

/* 1: @pc is in executable memory, 0: it is not, or -errno. */
static int look_for_code(struct code_known *c, struct snapshot *memory, taddr pc)
{
	if (code_ranges_have(&c->ranges, pc))
		return true;
	/* Code may have been generated since; but not during one stop. */
	if (c->stop == memory->stop)
		return false;
	int err = code_ranges_read(memory->space->pid, &c->ranges);
	if (err)
		return err;
	c->stop = memory->stop;
	return code_ranges_have(&c->ranges, pc);
}

static bool is_code(struct code_known *c, struct snapshot *memory, taddr pc)
{
	return look_for_code(c, memory, pc) > 0;
}

bool code_known_has(struct code_known *c, struct snapshot *memory, taddr pc)
{
	return look_for_code(c, memory, pc) != 0;
}

static bool follows_a_call(const struct code_known *c, struct snapshot *memory, taddr ret)
{
	uint8_t code[2 * sizeof(uint64_t)];

	if (!snapshot_code(memory, ret - sizeof code, code, sizeof code))
		return false;
	if (c->own_bytes)
		c->own_bytes(c->ctx, ret - sizeof code, code, sizeof code);
	return arch_ends_in_call(code + sizeof code - ARCH_CALL_MAX);
}

bool guess_caller(struct code_known *c, struct snapshot *memory, taddr pc, taddr sp,
		  taddr frame_pointer, struct guess *out)
{
	*out = (struct guess){ .at = frame_pointer,
			       .caller_sp = frame_pointer + ARCH_FRAME_CALLER };
	/* It has to be above the stack pointer: so a walk from frame to frame never goes back. */
	if (frame_pointer < sp || frame_pointer - sp > FRAME_MAX ||
	    frame_pointer % sizeof out->saved)
		return false;
	if (!snapshot_word(memory, frame_pointer + ARCH_FRAME_SAVED, &out->saved) ||
	    !snapshot_word(memory, frame_pointer + ARCH_FRAME_RETURN, &out->caller_pc))
		return false;
	/* A signal handler's return address follows no call. */
	return (follows_a_call(c, memory, out->caller_pc) ||
		unwind_is_signal_return(memory, out->caller_pc)) &&
	       is_code(c, memory, out->caller_pc - 1) && is_code(c, memory, pc);
}

bool guess_only_caller(struct code_known *c, struct snapshot *memory, taddr sp, taddr start,
		       struct guess *out)
{
	uint64_t word;
	unsigned n = 0;

	if (sp > start || start - sp > START_MAX || sp % sizeof word)
		return false;
	/* The word at @start itself was an argument of the start function, which may have popped it
	 * and called then. */
	for (taddr at = sp; at <= start; at += sizeof word) {
		if (!snapshot_word(memory, at, &word))
			return false;
		if (!follows_a_call(c, memory, word) || !is_code(c, memory, word - 1))
			continue;
		*out = (struct guess){ .at = at, .caller_pc = word, .caller_sp = at + sizeof word };
		n++;
	}
	return n == 1;
}
