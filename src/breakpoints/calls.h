/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_CALLS_H
#define MPROF_BREAKPOINTS_CALLS_H

#include "alloc_event.h"
#include "breakpoints/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which allocator calls a task is in: pairs entries with returns. Decisions over plain data;
 * nothing is read from the process.
 */

/* A call that has begun and has not returned. */
struct call {
	taddr entry;	/* of its entry */
	taddr ret_at;	/* where its return address is on the stack */
	taddr ret;	/* the return address */
	taddr sp_after;	/* the stack pointer when it has returned */
	uint32_t probe;
	bool interrupted; /* a signal was delivered inside of it */
	/* Its return is not trapped: it may have returned. Its call site reaches only this
	 * function; */
	bool unwatched;
	bool by_wrapper; /* or a function of another module, which may do other things before or
			    instead */
	bool resolver;	/* not a call of an allocator: it returns the address of the function that
			   probe is about */
	bool hidden;	/* do not report the block that it gives */
	bool unwanted;	/* its block is not recorded: do not report it */
	bool gave_up;	/* its first attempt has failed and was reported: calls that it makes are
			   reported on their own */
	taddr inner;	/* the last block that such an inner call gave */
	enum alloc_label label;	/* of the block, or of those that are requested inside */
	bool overflow;	/* the size asked for cannot be expressed: the call will fail */
	uint64_t size;	/* UINT64_MAX after an overflow */
	uint64_t count, elem; /* the factors of that size */
	taddr ptr;	/* the block that is resized or freed */
	taddr pool;	/* the pool that a block comes from; 0: none */
	taddr out;	/* where the new block's address will be stored; 0: it is the result */
	uint32_t *frames; /* its chain, innermost first; malloc'ed */
	size_t n_frames;
	enum chain_end truncated;
};

/*
 * A call that was found to be nested in a pending one. If it is in a chain so is the pending one:
 * there is no need to unwind further, however deeply calls are nested.
 */
struct nested_call {
	taddr entry, ret_at, ret, sp_after;	/* as in struct call */
	size_t of;	/* the pending call, as an index */
	bool certain;	/* the call site reaches only this function */
};

struct calls {
	struct call *v;	/* outermost first */
	size_t n, cap;
	struct nested_call *nested;	/* by @of, then outermost first */
	size_t n_nested, cap_nested;
};

void calls_release(struct calls *c);

/* What an entry means, seen from the innermost pending call. */
enum entry_verdict {
	ENTRY_OUTER,	 /* a call of the program: count it */
	ENTRY_NESTED,	 /* made by the pending call itself */
	ENTRY_ABANDONED, /* the pending call will never return: drop it and classify again */
	ENTRY_RESTARTED, /* the pending call is this one, begun again: drop it, count this */
	ENTRY_UNWIND,	 /* only the call chain can tell */
	ENTRY_IN_ENGINE, /* made by a call that the engine sees */
};

/* Of the calls that an engine sees without a trap. */
enum engine_calls {
	ENGINE_NONE,	/* none is pending */
	ENGINE_MAYBE,	/* one may be: then the engine's code is in the chain */
	ENGINE_PENDING,	/* the same, and it has not been seen to end */
};

/* What is known of the engine's calls in the chain of an entry. */
struct engine_part {
	enum engine_calls calls;
	const struct engine_seen *seen; /* what the engine has seen of the whole chain; NULL:
					   nothing */
};

/* An entry to be judged. */
struct call_entry {
	taddr entry, ret_at, ret;	/* as in struct call */
	taddr freed;	/* the block it frees; 0: it is not a free */
};


/**
 * @pending  the innermost pending call, NULL: none
 * @word     what is in memory at pending->ret_at now
 */
enum entry_verdict calls_classify_entry(const struct call *pending, const struct call_entry *e,
					taddr word);

/* The same when the entry's chain is cut, and the pending call is not in the part that is known. */
enum entry_verdict calls_judge_cut(const struct call *pending, const struct call_entry *e);

/* The same of a chain that the engine has followed. ENTRY_UNWIND: that does not decide it. */
enum entry_verdict calls_judge_seen(const struct call *pending, const struct engine_seen *seen);

/**
 * An entry is about to be judged: forget calls nested in the innermost pending call that cannot
 * enclose the entry. True: a nested call has jumped there at its end.
 */
bool calls_enter(struct calls *c, const struct call_entry *e);

/* This entry, and so everything nested in it, is made by the innermost pending call.
 * @certain  see struct nested_call */
void calls_note_nested(struct calls *c, const struct call_entry *e, taddr sp_after, bool certain);

/* Does the innermost pending call return to @pc, with the stack pointer @sp? */
bool calls_is_pending(const struct calls *c, taddr pc, taddr sp);

/* The same for the calls that are nested in it; NULL: none. */
const struct nested_call *calls_find_nested(const struct calls *c, taddr pc, taddr sp);

/**
 * The chain of an entry is cut before a frame with the stack pointer @sp (0: not known). Has the
 * innermost pending call, which is not in it, ended for certain?
 */
bool calls_is_over(const struct calls *c, taddr sp);

/**
 * The pending call that returns when a task is at @pc with stack pointer @sp, as an index into
 * c->v; -1: none. Calls inside of it have been abandoned.
 */
ptrdiff_t calls_returning(const struct calls *c, taddr pc, taddr sp);

/* A new innermost call, zeroed; NULL: out of memory. */
struct call *calls_push(struct calls *c);
/* Forget the innermost call. */
void calls_pop(struct calls *c);

#endif
