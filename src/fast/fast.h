/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_FAST_H
#define MPROF_FAST_FAST_H

#include "arch/patch.h"
#include "breakpoints/engine.h"

/*
 * The fast engine: the first instructions of a function become a jump to a pad, which tells an
 * agent in the program of the call; the agent writes into a ring that we read. No stop is needed
 * for that.
 */

struct journal;

struct fast_settings {
	bool arguments;		/* calloc's count and size apart, for logs */
	bool stack_pointers;	/* the caller's, for who measures stacks */
	bool check_unwinding;	/* the tracer unwinds each chain as well */
	struct journal *journal; /* may be NULL */
};

extern const struct engine_ops fast_engine;

/* What the engines of a session share; NULL: out of memory. */
struct engine_shared *fast_shared_new(const struct fast_settings *settings);
void fast_shared_free(struct engine_shared *s);

/* What processor and kernel lack for the engine, for a person; NULL: nothing. */
const char *fast_machine_lacks(void);

/* So much of a function is looked through, at most. */
enum { FAST_CODE_MAX = 65536 };

/**
 * Why the engine would leave a function to traps; NULL: it would see its calls. Knows no process.
 * @code, @len  what can be read of it; 0: nothing     @size  how long it is; 0: nobody tells
 * @patch       set to how it would be changed, if it would
 */
const char *fast_leaves(const struct probe *p, const uint8_t *code, size_t len, uint64_t size,
			struct arch_patch *patch);

#endif
