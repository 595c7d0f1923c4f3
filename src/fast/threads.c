/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/threads.h"

#include <stdbool.h>
#include <stdlib.h>

struct known_thread {
	uint32_t key;	/* its slot in the table */
	uint32_t users; /* tasks; 0: it has ended, or there is none */
	pid_t tid;	/* 0: the number is free */
	uint64_t ends_at; /* if it has ended */
};

struct threads {
	struct agent_shared *shared;
	struct agent_key keys[AGENT_KEYS]; /* what we have written to the shared ones */
	struct known_thread known[AGENT_THREADS];
	uint32_t ended[AGENT_THREADS];	   /* numbers that wait to be reaped, in the order of their ends */
	uint32_t first_ended, n_ended;
	uint32_t free[AGENT_THREADS], n_free;
};

struct threads *threads_new(struct agent_shared *shared)
{
	struct threads *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->shared = shared;
	for (uint32_t i = AGENT_THREADS; i > AGENT_SPARES; i--)
		t->free[t->n_free++] = i - 1;
	return t;
}

void threads_free(struct threads *t)
{
	free(t);
}

/*
 * The slot that has this key, or the one to put it in: the first that is free on its way. There always is
 * one, for there are fewer threads than slots. *@found: it has it, even if that thread has gone.
 */
static uint32_t slot_for(const struct threads *t, uint64_t thread_pointer, bool *found)
{
	uint32_t first = agent_key_slot(thread_pointer), free = AGENT_KEYS;

	*found = false;
	for (uint32_t i = 0; i < AGENT_KEYS; i++) {
		uint32_t slot = (first + i) % AGENT_KEYS;
		const struct agent_key *k = &t->keys[slot];

		if (k->thread_pointer && k->thread_pointer == thread_pointer + 1) {
			*found = true;
			return slot;
		}
		if (free == AGENT_KEYS && (!k->thread_pointer || k->number == AGENT_NO_THREAD))
			free = slot;
		if (!k->thread_pointer)
			break;
	}
	return free;
}

/* The key first: until the number is there too, who looks for either finds nobody. */
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

/* As a new thread finds it. */
static void clear_record(struct agent_thread *r)
{
	r->depth = 0;
	r->n_frames = 0;
	r->stack = 0;
	r->stack_lo = r->stack_hi = 0;
	r->taker = 0;
	__atomic_store_n(&r->busy, 0, __ATOMIC_RELEASE);
}

uint32_t threads_begin(struct threads *t, uint64_t thread_pointer, pid_t tid)
{
	bool found;
	uint32_t slot = slot_for(t, thread_pointer, &found), number;

	if (found && t->keys[slot].number != AGENT_NO_THREAD) {
		t->known[t->keys[slot].number].users++;
		return t->keys[slot].number;
	}
	/* A key that is stored as 0 would end the search of all others. */
	if (!t->n_free || thread_pointer + 1 == 0)
		return AGENT_NO_THREAD;
	number = t->free[--t->n_free];
	t->known[number] = (struct known_thread){ .key = slot, .users = 1, .tid = tid };
	clear_record(&t->shared->threads[number]);
	write_key(t, slot, thread_pointer, number);
	return number;
}

void threads_end(struct threads *t, uint32_t number, uint64_t position)
{
	struct known_thread *k;

	if (number >= AGENT_THREADS || !t->known[number].users)
		return;
	k = &t->known[number];
	if (--k->users)
		return;
	k->ends_at = position;
	write_key(t, k->key, t->keys[k->key].thread_pointer - 1, AGENT_NO_THREAD);
	t->ended[(t->first_ended + t->n_ended++) % AGENT_THREADS] = number;
}

void threads_reap(struct threads *t, uint64_t position, void (*gone)(void *ctx, uint32_t number), void *ctx)
{
	while (t->n_ended) {
		uint32_t number = t->ended[t->first_ended];

		if ((int64_t)(position - t->known[number].ends_at) < 0)
			return;
		t->first_ended = (t->first_ended + 1) % AGENT_THREADS;
		t->n_ended--;
		t->known[number].tid = 0;
		t->free[t->n_free++] = number;
		gone(ctx, number);
	}
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

uint32_t threads_of(const struct threads *t, pid_t tid)
{
	for (uint32_t i = AGENT_SPARES; i < AGENT_THREADS; i++)
		if (t->known[i].users && t->known[i].tid == tid)
			return i;
	return AGENT_NO_THREAD;
}
