/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/threads.h"

#include "base/zeroed.h"

#include <stdbool.h>
#include <stdlib.h>

struct known_thread {
	uint32_t key;	/* its slot in keys[] */
	uint32_t users; /* tasks that share it; 0: it has ended, or there is none */
	pid_t tid;	/* 0: the number is free */
	uint64_t ends_at; /* if it has ended: the ring's position by then */
};

struct threads {
	struct agent_shared *shared;
	struct agent_key keys[AGENT_KEYS]; /* a copy of what we have written to shared->keys */
	struct known_thread known[AGENT_THREADS];
	uint32_t ended[AGENT_THREADS]; /* numbers to be reaped, in the order of their ends */
	uint32_t first_ended, n_ended;
	uint32_t free[AGENT_THREADS], n_free;
	uint32_t n_strangers;
};

/* One slot stays free even with the maximum number of threads. */
enum { STRANGERS_MAX = AGENT_KEYS - AGENT_THREADS - 1 };

struct threads *threads_new(struct agent_shared *shared)
{
	struct threads *t = zeroed_new(sizeof *t);

	if (!t)
		return NULL;
	t->shared = shared;
	for (uint32_t i = AGENT_THREADS; i > AGENT_SPARES; i--)
		t->free[t->n_free++] = i - 1;
	return t;
}

void threads_free(struct threads *t)
{
	zeroed_free(t, sizeof *t);
}

/*
 * The slot of a running thread, *@found; or the slot for its key, which is a stranger's with this
 * key, or the first free one of its probe sequence: there always is one, for there are fewer
 * threads and strangers than slots. The agent takes the first slot with a key: no slot before this
 * one has the same key.
 */
static uint32_t slot_for(const struct threads *t, uint64_t thread_pointer, bool *found)
{
	uint32_t first = agent_key_slot(thread_pointer), free = AGENT_KEYS;

	*found = false;
	for (uint32_t i = 0; i < AGENT_KEYS; i++) {
		uint32_t slot = (first + i) % AGENT_KEYS;
		const struct agent_key *k = &t->keys[slot];

		if (!k->thread_pointer || k->number == AGENT_NO_THREAD)
			free = free < AGENT_KEYS ? free : slot;
		else if (k->thread_pointer == thread_pointer + 1) {
			*found = k->number != AGENT_STRANGER;
			return slot;
		}
		if (!k->thread_pointer)
			break;
	}
	return free;
}

/* The key first: until the number is written, too, a lookup of either key finds no thread. */
static void write_key(struct threads *t, uint32_t slot, uint64_t thread_pointer, uint32_t number)
{
	struct agent_key *k = &t->keys[slot], *shared = &t->shared->keys[slot];

	if (k->thread_pointer != thread_pointer + 1) {
		__atomic_store_n(&shared->number, AGENT_NO_THREAD, __ATOMIC_RELEASE);
		__atomic_store_n(&shared->thread_pointer, thread_pointer + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&shared->number, number, __ATOMIC_RELEASE);
	k->thread_pointer = thread_pointer + 1;
	k->number = number;
}

/* Reset a record for a new thread; what the old thread had taken is given back. */
static void clear_record(struct agent_shared *s, uint32_t number)
{
	struct agent_thread *r = &s->threads[number];
	uint32_t stack = r->stack;

	if (stack && stack <= AGENT_STACKS)
		agent_stack_leave(&s->stacks[stack - 1], number + 1);
	agent_deep_give_back(s, number);
	r->depth = 0;
	r->outer_at = 0;
	r->n_frames = 0;
	r->stack = 0;
	r->stack_lo = r->stack_hi = 0;
	r->busy_sp = 0;
	__atomic_store_n(&s->waiting[number], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&r->busy, 0, __ATOMIC_RELEASE);
}

uint32_t threads_begin(struct threads *t, uint64_t thread_pointer, pid_t tid)
{
	bool found;
	uint32_t slot = slot_for(t, thread_pointer, &found), number;

	if (found) {
		/* The stack is reused before the end of its last thread has been reported. */
		t->known[t->keys[slot].number].tid = tid;
		t->known[t->keys[slot].number].users++;
		return t->keys[slot].number;
	}
	if (!t->n_free) {
		/* An unknown thread asks the tracer who it is, and waits for the answer. */
		threads_stranger(t, thread_pointer);
		return AGENT_NO_THREAD;
	}
	/* A key that is stored as 0 would end the search for others. */
	if (thread_pointer + 1 == 0)
		return AGENT_NO_THREAD;
	t->n_strangers -= t->keys[slot].number == AGENT_STRANGER;
	number = t->free[--t->n_free];
	t->known[number] = (struct known_thread){ .key = slot, .users = 1, .tid = tid };
	clear_record(t->shared, number);
	write_key(t, slot, thread_pointer, number);
	return number;
}

void threads_end(struct threads *t, uint32_t number, uint64_t position)
{
	struct known_thread *k;
	uint64_t key;

	if (number >= AGENT_THREADS || !t->known[number].users)
		return;
	k = &t->known[number];
	if (--k->users)
		return;
	k->ends_at = position;
	key = t->keys[k->key].thread_pointer;
	write_key(t, k->key, key - 1, AGENT_NO_THREAD);
	/* It may have been killed in the agent. */
	clear_record(t->shared, number);
	for (uint32_t i = 0; i < AGENT_SPARES; i++)
		if (__atomic_load_n(&t->shared->threads[i].busy, __ATOMIC_RELAXED) == key)
			clear_record(t->shared, i);
	t->ended[(t->first_ended + t->n_ended++) % AGENT_THREADS] = number;
}

uint32_t threads_moved(struct threads *t, uint32_t number, uint64_t thread_pointer,
		       uint64_t position)
{
	if (number >= AGENT_THREADS || !t->known[number].users ||
	    t->keys[t->known[number].key].thread_pointer == thread_pointer + 1)
		return number;
	pid_t tid = t->known[number].tid;

	threads_end(t, number, position);
	return threads_begin(t, thread_pointer, tid);
}

void threads_stranger(struct threads *t, uint64_t thread_pointer)
{
	bool found;
	uint32_t slot = slot_for(t, thread_pointer, &found);

	if (found || thread_pointer + 1 == 0 || t->keys[slot].number == AGENT_STRANGER ||
	    t->n_strangers == STRANGERS_MAX)
		return;
	t->n_strangers++;
	write_key(t, slot, thread_pointer, AGENT_STRANGER);
}

void threads_reap(struct threads *t, uint64_t position)
{
	while (t->n_ended) {
		uint32_t number = t->ended[t->first_ended];

		if ((int64_t)(position - t->known[number].ends_at) < 0)
			return;
		t->first_ended = (t->first_ended + 1) % AGENT_THREADS;
		t->n_ended--;
		t->known[number].tid = 0;
		t->free[t->n_free++] = number;
	}
}

void threads_is(struct threads *t, uint32_t number, pid_t tid)
{
	t->known[number].tid = tid;
}

pid_t threads_tid(const struct threads *t, uint32_t number)
{
	return number < AGENT_THREADS ? t->known[number].tid : 0;
}

uint32_t threads_find(const struct threads *t, uint64_t thread_pointer)
{
	bool found;
	uint32_t slot = slot_for(t, thread_pointer, &found);

	return found ? t->keys[slot].number : AGENT_NO_THREAD;
}
