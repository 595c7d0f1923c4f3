/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_AGENT_INTERNAL_H
#define MPROF_AGENT_INTERNAL_H

#include "agent/layout.h"
#include "arch/x86_64_agent.h"

#include <stdbool.h>

/*
 * The code that pads call, in the program. It makes no system call, uses no C library and no
 * thread-local storage, takes no lock, and waits only for the tracer: a signal handler may
 * interrupt it anywhere and enter it again, or leave it by longjmp and never come back.
 */

#define AGENT_NULL ((void *)0)

extern struct agent_head agent_head;

static inline struct agent_shared *agent_shared(void)
{
	return (struct agent_shared *)(uintptr_t)agent_head.shared;
}

/* One entry of the agent from a pad. */
struct activation {
	struct agent_shared *shared;
	const struct arch_saved *saved;
	uint64_t pc, sp, fp;	     /* of the function's caller, as they are after the return */
	uint64_t thread_pointer;
	struct agent_thread *own;    /* the thread's own record; NULL: the tracer has made none */
	struct agent_thread *record; /* the record taken: its own or a spare; NULL: none */
	uint32_t own_number, number; /* of these; AGENT_NO_THREAD */
	uint64_t seen;		     /* the value of WORD_JUDGE, set by a walk with @judged */
};

/* What a walk of the stack has found. */
struct agent_chain {
	uint32_t node;		   /* 0: the tracer must unwind a copy of the stack */
	enum agent_inside inside;  /* what came first */
	bool agent;		   /* an interrupted activation of the agent is further out */
	bool whole;		   /* it was followed to its end: so what was not found is not
				      there */
};

static inline bool agent_in_pad(const struct agent_shared *s, uint64_t pc)
{
	uint32_t n = __atomic_load_n(&s->n_pads, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n && i < AGENT_PADS; i++)
		if (pc >= s->pads[i].lo && pc < s->pads[i].hi)
			return true;
	return false;
}

/* Tasks with the same thread pointer share a record: the tracer may write it for another task
 * meanwhile. */
static inline uint64_t agent_outer_at(const struct agent_thread *t)
{
	return __atomic_load_n(&t->outer_at, __ATOMIC_ACQUIRE);
}

/* ---- ring.c ---- */

/* Put a record, waiting for room if there is none. False: the tracer has gone. */
bool agent_put(struct agent_shared *s, uint32_t number, uint64_t lo, uint64_t hi);

/* Put a RECORD_TIME, if there has been none for a while. @own: the record of the thread whose event
 * comes next; NULL: it has none. */
void agent_put_time(struct agent_shared *s, struct agent_thread *own, uint32_t number);

/* To be called in a loop that waits for the tracer. False: there is no tracer any more, and nothing
 * is recorded from now on. */
bool agent_may_wait(struct agent_shared *s);

/* ---- name.c ---- */

/* The same, if the key is not in its first slot. */
uint32_t agent_search_thread(const struct agent_shared *s, uint64_t thread_pointer);

/* The number of the thread with this pointer; AGENT_NO_THREAD: it has none. Mostly its key is in
 * the first slot of the probe sequence. */
static inline uint32_t agent_find_thread(const struct agent_shared *s, uint64_t thread_pointer)
{
	const struct agent_key *k = &s->keys[agent_key_slot(thread_pointer)];

	if (__atomic_load_n(&k->thread_pointer, __ATOMIC_ACQUIRE) == thread_pointer + 1)
		return (uint32_t)__atomic_load_n(&k->number, __ATOMIC_RELAXED);
	return agent_search_thread(s, thread_pointer);
}

/* The same for a thread that the tracer does not know: ask the tracer, and wait for the answer. */
uint32_t agent_ask_name(struct agent_shared *s, uint64_t thread_pointer);

/* ---- thread.c ---- */

/* Fill in *@a for a call whose return address is at @sp, with what a pad passes. */
void agent_activate(struct activation *a, const uint64_t *sp, uint64_t fp,
		    const struct arch_saved *saved);

/* Take the thread's record, or a spare one if it is in use: a->record, NULL if there is none. */
void agent_take(struct activation *a);
void agent_leave(struct activation *a);

/* The stack, followed to its end, has shown that no other activation of this thread is alive: give
 * back what activations still have that were left by a longjmp from a handler. */
void agent_reclaim(struct activation *a);

/* ---- stack.c ---- */

/* Find the range of memory that contains a->sp, for a->record, asking the tracer if necessary.
 * False: there is none. */
bool agent_know_stack(struct activation *a);

/* The same without asking or taking a record. False: it is not known. */
static inline bool agent_stack_is_known(const struct activation *a)
{
	const struct agent_thread *t = a->own;

	return t && t->ranges_turn == __atomic_load_n(&a->shared->ranges_turn, __ATOMIC_ACQUIRE) &&
	       a->sp >= t->stack_lo && a->sp < t->stack_hi;
}

/* The end of the range that contains @sp, without asking the tracer; 0: none. */
uint64_t agent_stack_end(const struct agent_shared *s, uint64_t sp);

/* Make a copy of the stack, or of the registers only; *@word: the value of WORD_STACK. False: the
 * tracer has gone. */
bool agent_copy_stack(struct activation *a, bool words, uint64_t *word);

/* Give back a stack copy that a thread record has taken, or was about to take, and that has not
 * been put in a record. */
void agent_give_back_copy(struct agent_shared *s, uint32_t number);

/* ---- tree.c ---- */

/* The node of @pc (NODE_EXACT, NODE_GUESSED) below @parent, 0 for roots. 0: the table is full. */
uint32_t agent_node_below(struct agent_shared *s, uint32_t parent, uint64_t pc, uint32_t epoch);

/*
 * The nodes in use are scattered over more memory than a processor's cache holds, and a node can be
 * looked up only when its parent is known. So recently found nodes are also kept by keys that can
 * be computed for several frames at once: each from the key of its caller, that of the outermost
 * from its parent's number.
 */
uint64_t agent_node_key(uint64_t outer, uint64_t pc);

/* Prefetch the nodes with these keys, all at the same time. */
void agent_nodes_expect(struct agent_shared *s, const uint64_t *keys, uint32_t n);

/* As agent_node_below(), but faster if @key was used for this node before. */
uint32_t agent_node_recent(struct agent_shared *s, uint64_t key, uint32_t parent, uint64_t pc,
			   uint32_t epoch);

/* ---- known.c ---- */

/* The node of the chain that begins at a's caller, if it has been found before and none of the
 * words that it depends on has changed. Needs no thread record. False: the stack has to be
 * walked. */
bool agent_chain_known(const struct activation *a, uint32_t epoch, uint32_t *node);

/* Remember a whole chain that was walked, and its @node: @n frames, outermost first, of which the
 * last one is a's caller. */
void agent_chain_remember(const struct activation *a, const struct agent_frame *frames, uint32_t n,
			  uint32_t epoch, uint32_t node);

/* ---- outer.c ---- */

/* Frames that a walk has found, innermost first: those of @fresh, and then those of @known, from
 * its end to its beginning. */
struct agent_found {
	const struct agent_frame *fresh, *known;
	uint32_t n_fresh, n_known;
	bool whole;		   /* the last one is the outermost */
};

/* What they tell about the trapped call that the thread is in: the value of WORD_JUDGE. */
uint64_t agent_seen(const struct activation *a, const struct agent_found *found);

/* ---- walk.c ---- */

/* Walk the stack from the caller on, with a->record. Nodes are made only if @nodes, and a->seen is
 * set only if the call is to be @judged. The result is not returned in registers: they would be
 * loaded from narrower stores, which stalls. */
void agent_walk(struct activation *a, bool nodes, bool judged, struct agent_chain *out);

#endif
