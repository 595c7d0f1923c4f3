/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_OUTCOME_H
#define MPROF_PROBES_OUTCOME_H

#include "probes/probes.h"

/*
 * What a call of a probed function means, for any engine: functions over a definition and numbers.
 */

#define PROBE_ARGS 6 /* so many arguments can be looked at: those in registers */

/* Is it known only at the end of a call what came of it? */
bool probe_gives_block(const struct probe *p);

/* Does it give a block for another? */
bool probe_resizes(const struct probe *p);

/* Is the call itself the event, told by its arguments? */
bool probe_announces(const struct probe *p);

/* Is it a part of an allocator, which an engine is asked to see? */
bool probe_tells_of_blocks(const struct probe *p);

/* Does what the other functions of its library mean depend on it? An engine leaves such libraries
 * whole to traps. */
bool probe_depends_on_others(const struct probe *p);

/* What a log calls a call of this function. */
enum alloc_call probe_call(const struct probe *p);

/* The arguments of a call. */
struct probe_args {
	uint64_t size;	/* bytes that are asked for; UINT64_MAX after an overflow */
	uint64_t count, elem; /* of what it is the product */
	bool overflow;	/* the size cannot be expressed: the call will fail */
	taddr string;	/* where p->string_arg tells: the size is that of a copy of this string
			   ... */
	uint64_t limit;	/* ... of at most so many bytes of it */
	taddr ptr;	/* the block that is resized or freed */
	taddr out;	/* where the new block's address will be stored; 0: it is the result */
	enum alloc_label label;
};

/* @arg: the values of the argument registers at the function's first instruction. */
struct probe_args probe_arguments(const struct probe *p, const uint64_t arg[PROBE_ARGS]);

/**
 * What a call has come to that asked for @size bytes and gave @block (0: none).
 * @old  the block it was to resize; 0: none
 */
enum alloc_event_kind probe_outcome(const struct probe *p, uint64_t size, bool overflow, taddr old,
				    taddr block);

#endif
