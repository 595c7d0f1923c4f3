/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_CALLS_H
#define MPROF_BREAKPOINTS_CALLS_H

#include "alloc_event.h"
#include "breakpoints/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which allocator calls a task is in: pairs entries with returns. These are decisions over plain
 * data; no process is asked.
 */

/* A call that has begun and has not returned. */
struct call {
	taddr entry;	/* of its entry */
	taddr ret_at;	/* where its return address is on the stack */
	taddr ret;	/* the return address */
	taddr sp_after;	/* the stack pointer when it has returned */
	uint32_t probe;
	bool interrupted; /* a signal was delivered inside of it */
	/* Its return is not trapped: it may be over. Its call site reaches only this function; */
	bool unwatched;
	bool by_wrapper; /* or a function of another module, which may do other things before or
			    instead */
	bool resolver;	/* not a call of an allocator: it returns the address of the function that
			   probe is about */
	bool hidden;	/* do not report the block that it gives */
	bool unwanted;	/* nobody records what comes of it: do not report it */
	bool gave_up;	/* its first attempt has failed and was reported: what it calls counts by
			   itself */
	taddr inner;	/* the last block that such a call gave */
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
 * A call that was found to be made by a pending one. While it is in a chain, so is that one: there
 * is no need to look further out, however deeply calls are nested.
 */
struct nested_call {
	taddr entry, ret_at, ret, sp_after;	/* as in struct call */
	size_t of;	/* the pending call, as an index */
	bool certain;	/* nothing but this function is called there */
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
	ENTRY_ABANDONED, /* the pending call will never return: drop it and ask again */
	ENTRY_RESTARTED, /* the pending call is this very one, begun anew: drop it, count this */
	ENTRY_UNWIND,	 /* only the call chain can tell */
	ENTRY_IN_ENGINE, /* made by a call that the engine sees */
};

/* Of the calls that an engine sees without a trap. */
enum engine_calls {
	ENGINE_NONE,	/* none is pending */
	ENGINE_MAYBE,	/* one may be: the chain has the engine's code in it then */
	ENGINE_PENDING,	/* the same, and it has not been seen to end */
};

/* What is known of the engine's part in the chain of an entry. */
struct engine_part {
	enum engine_calls calls;
	const struct engine_seen *seen; /* of the whole chain; NULL: nothing */
};

/* An entry to be judged. */
struct call_entry {
	taddr entry, ret_at, ret;	/* as in struct call */
	taddr freed;	/* the block it frees; 0: it is no free */
};


/**
 * @pending  the innermost pending call, NULL: none
 * @word     what is in memory at pending->ret_at now
 */
enum entry_verdict calls_classify_entry(const struct call *pending, const struct call_entry *e,
					taddr word);

/* The same when the end of the entry's chain is not known, and the pending call is not in the part
 * that is. */
enum entry_verdict calls_judge_cut(const struct call *pending, const struct call_entry *e);

/* The same of a chain that the engine has followed. ENTRY_UNWIND: that does not tell. */
enum entry_verdict calls_judge_seen(const struct call *pending, const struct engine_seen *seen);

/**
 * An entry is about to be judged: forget what was nested in the innermost pending call and cannot
 * be around the entry. True: it is the end of a nested call, which has jumped there.
 */
bool calls_enter(struct calls *c, const struct call_entry *e);

/* This entry is made by the innermost pending call, and so is all that is inside of it.
 * @certain  see struct nested_call */
void calls_note_nested(struct calls *c, const struct call_entry *e, taddr sp_after, bool certain);

/* Does the innermost pending call go on at @pc, with the stack pointer @sp? */
bool calls_is_pending(const struct calls *c, taddr pc, taddr sp);

/* The same for the calls that are nested in it; NULL: none. */
const struct nested_call *calls_find_nested(const struct calls *c, taddr pc, taddr sp);

/**
 * The chain of an entry is cut where the next frame would be, with the stack pointer @sp (0: not
 * known). Has the innermost pending call, which is not in it, ended for certain?
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
