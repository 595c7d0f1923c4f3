/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_AROUND_H
#define MPROF_BREAKPOINTS_AROUND_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The code around a breakpoint, by which the breakpoint is recognised in a program that writes its
 * own code. A trap instruction in such code may not be ours: these programs fill unused memory with
 * them, and put one where execution must never arrive.
 */
#define AROUND_BYTES 8

struct around {
	/* what cannot be read is a trap instruction */
	uint8_t before[AROUND_BYTES], behind[AROUND_BYTES];
};

/**
 * Given that there is a trap instruction, is it our breakpoint?
 * @was        the program's own bytes around it when it was planted
 * @now        what is there now; a trap instruction matches anything, for it may be another
 *             breakpoint
 * @insn_size  of the instruction that the breakpoint replaces
 *
 * It is if either side is unchanged: programs patch constants behind it or calls before it. If both
 * sides have changed, other code has been written.
 */
bool around_is_same(const struct around *was, const struct around *now, uint8_t insn_size);

#endif
