/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_RING_H
#define MPROF_FAST_RING_H

#include "agent/layout.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The ring, as the tracer reads it: the agent's records are decoded, in their order. The program
 * can write to the shared memory at any time, even while it is read: each word of it is loaded
 * once, and what makes no sense is counted as lost.
 */
struct ring;

/* A copy of what unwinding a thread needs. */
struct ring_stack {
	uint64_t pc, sp, fp, saved[5];
	uint32_t bytes; /* of the stack, from sp on: a multiple of 8 */
	uint64_t word[AGENT_STACK_BYTES / 8];
};

struct ring_record {
	enum agent_kind kind; /* not RECORD_WORD, not RECORD_TIME */
	uint32_t thread;      /* less than AGENT_SPARES: a spare; AGENT_NO_THREAD: not known */
	uint32_t words;	      /* bits 1 << enum agent_word: which of word[] are set */
	uint64_t pointer;
	uint64_t size;	      /* of an allocation */
	uint32_t node;	      /* of an allocation: its node in the agent's tree, not checked yet; 0:
				 unwind the stack */
	uint32_t function;    /* RECORD_FREE, RECORD_REALLOC_BEGIN */
	uint64_t ret;	      /* RECORD_FREE */
	uint64_t ticks;	      /* the latest RECORD_TIME; 0: none yet */
	uint64_t until_ticks; /* the next one; 0: none has been put yet */
	uint64_t word[AGENT_WORDS]; /* undefined unless set */
	const struct ring_stack *stack; /* NULL: none, or lost. Good until the next record. */
};

struct ring_counts {
	uint64_t records;     /* decoded and taken */
	uint64_t strangers;   /* of these, those not put by a thread's own record */
	uint64_t stacks;      /* of these, those with a copy of the stack */
	uint64_t lost;	      /* records that made no sense */
};

typedef void ring_take(void *ctx, const struct ring_record *r);

/* A reader of @shared, in which nothing has been recorded yet; it stays the caller's. NULL: out of
 * memory. */
struct ring *ring_new(struct agent_shared *shared);
void ring_free(struct ring *r);

/* Gets records shortly before they are taken, not decoded and not checked. False: no more for
 * now. */
typedef bool ring_expect(void *ctx, const struct agent_record *v, unsigned n);
void ring_look_ahead(struct ring *r, ring_expect *expect);

/* Take what has been recorded: at most @most positions, and nothing from @upto on, UINT64_MAX: all
 * that there is. Returns the number of positions. */
uint64_t ring_drain(struct ring *r, uint64_t most, uint64_t upto, ring_take *take, void *ctx);

/* The first empty position: all records put so far are before it. */
uint64_t ring_head(const struct ring *r);

/* The position that is read next. */
uint64_t ring_position(const struct ring *r);

/* Writes the numbers of threads that wait for the tracer to @threads, at most @max. Returns how
 * many there are. */
size_t ring_waiting(const struct ring *r, uint32_t *threads, size_t max);

struct ring_counts ring_counts(const struct ring *r);

#endif
