/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_AROUND_H
#define MPROF_BREAKPOINTS_AROUND_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The code around a breakpoint, by which the breakpoint is recognised where a program writes its
 * own code. A trap instruction found there may not be ours: such programs fill unused memory with
 * it, and put one where execution must never arrive.
 */
#define AROUND_BYTES 8

struct around {
	/* what cannot be read is a trap instruction */
	uint8_t before[AROUND_BYTES], behind[AROUND_BYTES];
};

/**
 * Given that there is a trap instruction, is it the one that was put there?
 * @was        the program's own bytes around it at that time
 * @now        what is there now; a trap instruction says nothing, for it may be another one of ours
 * @insn_size  of the instruction whose first byte it took the place of
 *
 * It is, if either side is as it was: constants behind it and calls before it are patched. If both
 * have changed, other code has been written.
 */
bool around_is_same(const struct around *was, const struct around *now, uint8_t insn_size);

#endif
