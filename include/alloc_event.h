/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ALLOC_EVENT_H
#define MPROF_ALLOC_EVENT_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a program did with its memory, one fact at a time: the seam between whoever observes
 * (breakpoints today, a replayed log or another probe tomorrow) and whoever counts.
 *
 * The order of events is the order in which the allocator could know of them: a free is told when
 * the call begins, for the block can be handed out again before it ends; an allocation when the
 * call has returned. A realloc of a block is told twice, at both ends.
 */
enum alloc_event_kind {
	AE_ALLOC,	  /* a new block: ptr, size, chain */
	AE_FREE,	  /* ptr, by_allocator; ptr 0: free(NULL), which does nothing */
	AE_REALLOC_BEGIN, /* the allocator has old_ptr now: its address may be handed out again */
	AE_REALLOC_MOVED, /* ... and gave the block ptr of size bytes for it: chain; ptr may equal
			     old_ptr */
	AE_REALLOC_FREED, /* ... and gave nothing for it, as it was told: realloc(p, 0) */
	AE_REALLOC_BACK,  /* ... and left it as it was: the call failed or never returned */
	AE_FAILED,	  /* a call that asked for memory got none: size, old_ptr */
};

/* What a block is for, where a program's allocator is told so: the kinds of the Lisp version of
 * 1988. */
enum alloc_label {
	LABEL_NONE,
	LABEL_CONS,
	LABEL_FLOAT,
	LABEL_STRUCTURE, /* or vector */
	LABEL_OTHER,
};

/* What the program called, as a log of calls tells it. */
enum alloc_call {
	CALL_MALLOC, /* malloc(size) and all that gives a new block */
	CALL_CALLOC, /* calloc(count, elem) */
	CALL_REALLOC, /* realloc(old_ptr, size), also of no block or to no bytes */
	CALL_FREE,
};

/* Whether a call chain was followed to its end, and if not, why. */
enum chain_end {
	CHAIN_WHOLE,
	CHAIN_NO_CFI,	  /* no call frame information where the outermost frame found was called
			     from */
	CHAIN_UNREADABLE, /* the stack there cannot be read, or is none */
	CHAIN_TOO_DEEP,	  /* more frames than are followed */
	CHAIN_CUT,	  /* it was followed further, but memory is to be spared */
};

/* Roots of the call tree: of chains that were followed to their end, and of others. */
#define CHAIN_ROOT_WHOLE 0u
#define CHAIN_ROOT_TRUNCATED 1u

/*
 * A call chain as the unwinder saw it: its frames, or the node of the profile's call tree that they
 * lead to, for an engine that has grown that node itself (profile_node_below()).
 */
struct alloc_chain {
	const uint32_t *frames; /* numbers from profile_frame(), innermost first */
	size_t n;
	enum chain_end truncated; /* not CHAIN_WHOLE: it could not be followed to its end */
	uint32_t node;		  /* 0: the frames tell; else they are not looked at */
};

struct alloc_event {
	enum alloc_event_kind kind;
	enum alloc_call call;
	int32_t task;	/* thread; ties the two ends of a realloc together */
	uint64_t time_ns; /* CLOCK_MONOTONIC when it was seen; never less than that of the event
			     before */
	uint64_t until_ns; /* it had happened by then, and not before time_ns; no more than that:
			      at time_ns itself */
	taddr ptr, old_ptr;
	taddr sp;	/* the caller's stack pointer, as it is when the call has returned; 0: not
			   known */
	uint64_t size;	/* bytes the program asked for */
	enum alloc_label label;	/* of a new block */
	uint64_t count, elem; /* CALL_CALLOC: so many elements of so many bytes each */
	/* The allocator called its own free: glibc does for what is left in a thread's cache when
	 * the thread ends, blocks that the program has freed long ago. Of a block that is not
	 * known, no event of the program. */
	bool by_allocator;
	/* The program itself tells of the block, which it has cut from another one: that one may
	 * begin at the same address, and they are two. */
	bool announced;
	struct alloc_chain chain;
};

/* What an event is about that is probably to come soon: so that it is at hand by then. */
struct alloc_expected {
	taddr ptr;
	uint64_t size;	/* of a request */
	uint32_t node;	/* its chain, as in struct alloc_chain; 0: not known, or no request */
};

#endif
