/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_FAST_H
#define MPROF_FAST_FAST_H

#include "arch/patch.h"
#include "breakpoints/engine.h"

/*
 * The fast engine: the first instructions of a function are replaced by a jump to a pad, which
 * calls an agent in the program; the agent writes records of calls into a ring that we read. No
 * stop is needed for that.
 */

struct journal;

struct fast_settings {
	bool arguments;		/* report calloc's count and size separately, for logs */
	bool stack_pointers;	/* report the caller's stack pointer, for measuring stacks */
	bool check_unwinding;	/* have the tracer unwind each chain, too */
	struct journal *journal; /* may be NULL */
};

extern const struct engine_ops fast_engine;

/* What the engines of a session share; NULL: out of memory. */
struct engine_shared *fast_shared_new(const struct fast_settings *settings);
void fast_shared_free(struct engine_shared *s);

/* What the processor or the kernel lacks for the engine, for a person; NULL: nothing. */
const char *fast_machine_lacks(void);

/* At most so many bytes of a function are decoded. */
enum { FAST_CODE_MAX = 65536 };

/**
 * Why the engine would leave a function to traps; NULL: it would see its calls. Needs no process.
 * @code, @len  the bytes of it that can be read; 0: none     @size  its size; 0: not known
 * @patch       set to how its code would be changed, if it would
 */
const char *fast_leaves(const struct probe *p, const uint8_t *code, size_t len, uint64_t size,
			struct arch_patch *patch);

#endif
