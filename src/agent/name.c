/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Identifying a thread. A thread gets its thread pointer when it is created, which the tracer sees;
 * but a program's first thread sets its own without the tracer's notice. Without a record, nested
 * calls could be told only by the stack, slowly, and only if that can be unwound: so the thread
 * waits, once, until the tracer has made a record.
 */
#include "agent/agent_internal.h"

uint32_t agent_search_thread(const struct agent_shared *s, uint64_t thread_pointer)
{
	uint32_t slot = agent_key_slot(thread_pointer);

	for (uint32_t looks = 0; looks < AGENT_KEYS; looks++) {
		const struct agent_key *k = &s->keys[(slot + looks) % AGENT_KEYS];
		uint64_t there = __atomic_load_n(&k->thread_pointer, __ATOMIC_ACQUIRE);

		if (!there)
			return AGENT_NO_THREAD;
		if (there == thread_pointer + 1)
			return (uint32_t)__atomic_load_n(&k->number, __ATOMIC_RELAXED);
	}
	return AGENT_NO_THREAD;
}

/* Wait until the tracer has answered the question @asked. False: it has gone. */
static bool await_answer(struct agent_shared *s, uint64_t asked)
{
	bool answered;

	/* One flag for all threads that wait here, for the watchdog. */
	__atomic_store_n(&s->waiting[AGENT_NO_THREAD], 1, __ATOMIC_RELAXED);
	while (!(answered = __atomic_load_n(&s->nameless, __ATOMIC_ACQUIRE) != asked) &&
	       agent_may_wait(s))
		;
	__atomic_store_n(&s->waiting[AGENT_NO_THREAD], 0, __ATOMIC_RELAXED);
	return answered;
}

uint32_t agent_ask_name(struct agent_shared *s, uint64_t thread_pointer)
{
	const uint64_t key = thread_pointer + 1;
	uint64_t asked;

	if (!key)
		return AGENT_NO_THREAD;
	do { /* others may have asked first */
		asked = 0;
		if (__atomic_compare_exchange_n(&s->nameless, &asked, key, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			asked = key;
		if (!await_answer(s, asked))
			return AGENT_NO_THREAD;
	} while (asked != key);
	return agent_find_thread(s, thread_pointer);
}
