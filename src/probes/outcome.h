/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_OUTCOME_H
#define MPROF_PROBES_OUTCOME_H

#include "probes/probes.h"

/*
 * What a call of a probed function means, for any engine: functions of a definition and numbers.
 */

#define PROBE_ARGS 6 /* arguments in registers; others cannot be read */

/* True if the event is known only when the call returns. */
bool probe_gives_block(const struct probe *p);

/* True if it replaces one block by another. */
bool probe_resizes(const struct probe *p);

/* True if the call itself is the event, described by its arguments. */
bool probe_announces(const struct probe *p);

/* True if it is part of an allocator, which an engine is asked to observe. */
bool probe_tells_of_blocks(const struct probe *p);

/* True if the meaning of other functions of its library depends on it. The fast engine leaves such
 * libraries to traps as a whole. */
bool probe_depends_on_others(const struct probe *p);

/* The name of the call in an event log. */
enum alloc_call probe_call(const struct probe *p);

/* The arguments of a call. */
struct probe_args {
	uint64_t size;	/* bytes requested; UINT64_MAX after an overflow */
	uint64_t count, elem; /* the size is the product of these */
	bool overflow;	/* the size cannot be expressed: the call will fail */
	taddr string;	/* if p->string_arg is set: the size is that of a copy of this string ... */
	uint64_t limit;	/* ... but of at most so many bytes of it */
	taddr ptr;	/* the block that is resized or freed */
	taddr out;	/* where the new block's address will be stored; 0: it is the result */
	enum alloc_label label;
};

/* Decode the arguments. @arg: the values of the argument registers at the function's first
 * instruction. */
struct probe_args probe_arguments(const struct probe *p, const uint64_t arg[PROBE_ARGS]);

/**
 * The event of a call that requested @size bytes and returned @block (0: none).
 * @old  the block that it was to resize; 0: none
 */
enum alloc_event_kind probe_outcome(const struct probe *p, uint64_t size, bool overflow, taddr old,
				    taddr block);

#endif
