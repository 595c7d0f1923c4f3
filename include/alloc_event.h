/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ALLOC_EVENT_H
#define MPROF_ALLOC_EVENT_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a program did with its memory, one event at a time: the interface between an observer
 * (breakpoints, the fast engine, a replayed log) and the profile, which counts.
 *
 * Events are in the order in which the allocator could know of them: a free is reported when the
 * call begins, as the block can be handed out again before it ends; an allocation when the call has
 * returned. A realloc of a block is reported twice, at both ends.
 */
enum alloc_event_kind {
	AE_ALLOC,	  /* a new block: ptr, size, chain */
	AE_FREE,	  /* ptr, by_allocator; ptr 0: free(NULL), which does nothing */
	AE_REALLOC_BEGIN, /* the allocator has old_ptr now: its address may be handed out again */
	AE_REALLOC_MOVED, /* ... and gave the block ptr of size bytes for it: chain; ptr may equal
			     old_ptr */
	AE_REALLOC_FREED, /* ... and gave nothing for it, as requested: realloc(p, 0) */
	AE_REALLOC_BACK,  /* ... and left it as it was: the call failed or never returned */
	AE_FAILED,	  /* a call that asked for memory got none: size, old_ptr */
};

/* What a block is for, if the program tells its allocator: the kinds of the Lisp version of
 * 1988. */
enum alloc_label {
	LABEL_NONE,
	LABEL_CONS,
	LABEL_FLOAT,
	LABEL_STRUCTURE, /* or vector */
	LABEL_OTHER,
};

/* The function that the program called, as in a log of calls. */
enum alloc_call {
	CALL_MALLOC, /* malloc(size) and other functions that give a new block */
	CALL_CALLOC, /* calloc(count, elem) */
	CALL_REALLOC, /* realloc(old_ptr, size), also of no block or to no bytes */
	CALL_FREE,
};

/* Whether a call chain was followed to its end, and if not, why. */
enum chain_end {
	CHAIN_WHOLE,
	CHAIN_NO_CFI,	  /* no call frame information for the caller of the outermost frame
			     found */
	CHAIN_UNREADABLE, /* the stack there cannot be read, or is not valid */
	CHAIN_TOO_DEEP,	  /* it has more frames than are unwound */
	CHAIN_CUT,	  /* it was unwound further, but cut to save memory */
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
	uint32_t node;		  /* 0: use the frames; else they are not read */
};

struct alloc_event {
	enum alloc_event_kind kind;
	enum alloc_call call;
	int32_t task;	/* thread; connects the two ends of a realloc */
	uint64_t time_ns; /* CLOCK_MONOTONIC when it was seen; never less than that of the previous
			     event */
	uint64_t until_ns; /* it happened between time_ns and this time; if this is not greater: at
			      time_ns */
	taddr ptr, old_ptr;
	taddr sp;	/* the caller's stack pointer after the call has returned; 0: not known */
	uint64_t size;	/* bytes the program asked for */
	enum alloc_label label;	/* of a new block */
	uint64_t count, elem; /* CALL_CALLOC: number of elements, bytes of each */
	/* The allocator called its own free: glibc does that when a thread ends, for the blocks in
	 * its cache, which the program has freed long ago. If the block is not known it is no event
	 * of the program. */
	bool by_allocator;
	/* The program itself reports the block (mprof.h), which is a part of another one: if both
	 * begin at the same address they are still two blocks. */
	bool announced;
	struct alloc_chain chain;
};

/* What an event that will probably come soon is about: so that it can be prefetched. */
struct alloc_expected {
	taddr ptr;
	uint64_t size;	/* of a request */
	uint32_t node;	/* of its chain, as in struct alloc_chain; 0: not known, or no request */
};

#endif
