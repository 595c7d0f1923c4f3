/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_AGENT_INTERNAL_H
#define MPROF_AGENT_INTERNAL_H

#include "agent/layout.h"
#include "arch/x86_64_agent.h"

#include <stdbool.h>

/*
 * The code that pads call, in the program. It makes no system call, knows no C library, has no
 * thread-local storage, takes no lock, and waits for nobody but the tracer: a signal handler may
 * interrupt it anywhere and call it again, or leave it by longjmp and never come back.
 */

#define AGENT_NULL ((void *)0)

extern struct agent_head agent_head;

static inline struct agent_shared *agent_shared(void)
{
	return (struct agent_shared *)(uintptr_t)agent_head.shared;
}

/* One time that a pad has entered the agent. */
struct activation {
	struct agent_shared *shared;
	const struct arch_saved *saved;
	uint64_t pc, sp, fp;	     /* of the function's caller, as they are after the return */
	uint64_t thread_pointer;
	struct agent_thread *own;    /* the thread's own record; NULL: nobody has entered it */
	struct agent_thread *record; /* which has been taken: its own or a spare; NULL: none */
	uint32_t own_number, number; /* of these; AGENT_NO_THREAD */
	uint64_t seen;		     /* the value of WORD_JUDGE, as of a walk of a judged call */
};

/* What a walk of the stack has found. */
struct agent_chain {
	uint32_t node;		   /* 0: the tracer must unwind a copy of the stack */
	enum agent_inside inside;  /* what came first */
	bool agent;		   /* the agent has been interrupted further out */
	bool whole;		   /* it was followed to its end: what was not found is not there */
};

static inline bool agent_in_pad(const struct agent_shared *s, uint64_t pc)
{
	uint32_t n = __atomic_load_n(&s->n_pads, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n && i < AGENT_PADS; i++)
		if (pc >= s->pads[i].lo && pc < s->pads[i].hi)
			return true;
	return false;
}

/* Tasks with one thread pointer share a record: the tracer may write it for another one of them. */
static inline uint64_t agent_outer_at(const struct agent_thread *t)
{
	return __atomic_load_n(&t->outer_at, __ATOMIC_ACQUIRE);
}

/* ---- ring.c ---- */

/* Put a record, waiting for room if there is none. False: the tracer has gone. */
bool agent_put(struct agent_shared *s, uint32_t number, uint64_t lo, uint64_t hi);

/* Put the time, if that has not been done for a while. @own: whose event is told next; NULL: a
 * thread's without a record. */
void agent_put_time(struct agent_shared *s, struct agent_thread *own, uint32_t number);

/* To be called in a loop by who waits for something of the tracer. False: there is no tracer any
 * more, and nothing is recorded from now on. */
bool agent_may_wait(struct agent_shared *s);

/* ---- name.c ---- */

/* The same, wherever its key is. */
uint32_t agent_search_thread(const struct agent_shared *s, uint64_t thread_pointer);

/* The number of the thread with this pointer; AGENT_NO_THREAD: it has none. Mostly its key is where
 * it is looked for first. */
static inline uint32_t agent_find_thread(const struct agent_shared *s, uint64_t thread_pointer)
{
	const struct agent_key *k = &s->keys[agent_key_slot(thread_pointer)];

	if (__atomic_load_n(&k->thread_pointer, __ATOMIC_ACQUIRE) == thread_pointer + 1)
		return (uint32_t)__atomic_load_n(&k->number, __ATOMIC_RELAXED);
	return agent_search_thread(s, thread_pointer);
}

/* The same of one that the tracer does not know: it is asked, and waited for. */
uint32_t agent_ask_name(struct agent_shared *s, uint64_t thread_pointer);

/* ---- thread.c ---- */

/* Fill in *@a for a call whose return address is at @sp, as a pad tells of it. */
void agent_activate(struct activation *a, const uint64_t *sp, uint64_t fp,
		    const struct arch_saved *saved);

/* Take the thread's record, or a spare one if it is in use: a->record, NULL if there is none. */
void agent_take(struct activation *a);
void agent_leave(struct activation *a);

/* The stack, followed to its end, has shown that no other activation of this thread is alive:
 * give back what those have that a handler left by longjmp. */
void agent_reclaim(struct activation *a);

/* ---- stack.c ---- */

/* Find the range of memory in which @sp is, for a->record; false: it is in none, says the
 * tracer, too. */
bool agent_know_stack(struct activation *a);

/* The same without asking anybody or taking a record. False: it is not known. */
static inline bool agent_stack_is_known(const struct activation *a)
{
	const struct agent_thread *t = a->own;

	return t && t->ranges_turn == __atomic_load_n(&a->shared->ranges_turn, __ATOMIC_ACQUIRE) &&
	       a->sp >= t->stack_lo && a->sp < t->stack_hi;
}

/* The end of the range that @sp is in, nobody being asked; 0: none. */
uint64_t agent_stack_end(const struct agent_shared *s, uint64_t sp);

/* A copy of the stack, or of the registers only: the value of WORD_STACK. False: the tracer has
 * gone. */
bool agent_copy_stack(struct activation *a, bool words, uint64_t *word);

/* A copy that a thread record has taken, or was about to take, and that nobody will be told of. */
void agent_give_back_copy(struct agent_shared *s, uint32_t number);

/* ---- tree.c ---- */

/* The node of @pc (NODE_EXACT, NODE_GUESSED) below @parent, 0 for roots. 0: the table is full. */
uint32_t agent_node_below(struct agent_shared *s, uint32_t parent, uint64_t pc, uint32_t epoch);

/*
 * What is in use of all nodes is scattered over more memory than a processor's cache has, and where
 * a node is can be told only when its parent is known. So those that were found last are kept by
 * keys, too, which are known of several calls at once: of each by the key of its caller. Of the
 * outermost of them by its parent's number.
 */
uint64_t agent_node_key(uint64_t outer, uint64_t pc);

/* Nodes with these keys will be asked for: have them come into the cache, all at the same time. */
void agent_nodes_expect(struct agent_shared *s, const uint64_t *keys, uint32_t n);

/* As agent_node_below(), of which it tells the result sooner if @key was used for it before. */
uint32_t agent_node_recent(struct agent_shared *s, uint64_t key, uint32_t parent, uint64_t pc,
			   uint32_t epoch);

/* ---- known.c ---- */

/* The node of the chain that begins at a's caller, if it is one that has been found before and
 * nothing that it followed from has changed. Needs no thread record. False: it has to be walked. */
bool agent_chain_known(const struct activation *a, uint32_t epoch, uint32_t *node);

/* A whole chain has been walked to @node: the @n frames, outermost first, of which the last one is
 * a's caller. */
void agent_chain_remember(const struct activation *a, const struct agent_frame *frames, uint32_t n,
			  uint32_t epoch, uint32_t node);

/* ---- outer.c ---- */

/* Frames that a walk has found, innermost first: those of @fresh, and then, from its end on, those
 * of @known. */
struct agent_found {
	const struct agent_frame *fresh, *known;
	uint32_t n_fresh, n_known;
	bool whole;		   /* the last one is the outermost */
};

/* What they tell of the trapped call that the thread is in: the value of WORD_JUDGE. */
uint64_t agent_seen(const struct activation *a, const struct agent_found *found);

/* ---- walk.c ---- */

/* Walk the stack from the caller on, by a->record. Nodes are made only if @nodes, and a->seen is
 * told only if the call is to be @judged. It gives no result in registers: that would be loaded
 * from narrower stores, and wait for them. */
void agent_walk(struct activation *a, bool nodes, bool judged, struct agent_chain *out);

#endif
