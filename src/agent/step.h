/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_AGENT_STEP_H
#define MPROF_AGENT_STEP_H

#include "agent/layout.h"

#include <stdbool.h>

/* Of a row of unwinding tables, see unwind_row.h. */
struct agent_row {
	uint16_t cfa, fp;
};

enum agent_step {
	STEP_CALLER,
	STEP_SIGNAL, /* the frame is where a signal handler returns to: *caller is the interrupted
			frame */
	STEP_OUTERMOST,
	STEP_NO_ROW,	 /* there is no row for this pc */
	STEP_UNREADABLE, /* a word to be read is not on the stack */
};

/**
 * From a frame to its caller.
 * @f       pc, sp, fp and exact are given; fp_at and special are set
 * @hi      the end of the stack: nothing at or above it, or below f->sp, is read
 * @caller  is set: pc, sp, fp and exact
 * The result depends only on rows, memory and these arguments. Unless `special` is set the caller's
 * pc is the word below its sp, and its fp the word at fp_at, or that of @f.
 */
enum agent_step agent_step(struct agent_shared *s, struct agent_frame *f, uint64_t hi,
			   struct agent_frame *caller);

/* The row at this pc, if it is remembered. */
static inline bool agent_row_is_known(const struct agent_shared *s, uint64_t pc,
				      struct agent_row *out)
{
	uint64_t there = __atomic_load_n(&s->rows[pc % AGENT_ROW_SLOTS], __ATOMIC_RELAXED);

	if (!there || there >> 32 != pc / AGENT_ROW_SLOTS)
		return false;
	*out = (struct agent_row){ (uint16_t)(there >> 16), (uint16_t)there };
	return true;
}

#endif
