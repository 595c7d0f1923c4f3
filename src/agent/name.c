/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which thread it is. A thread gets its thread pointer when it is born, which the tracer sees; the
 * first one sets its own, and nobody is told. Its calls could be told apart by the stack alone,
 * where that can be followed, and slowly: so it waits, once, until the tracer has seen to it.
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

/* Until the tracer has answered what is asked now. False: it has gone. */
static bool await_answer(struct agent_shared *s, uint64_t asked)
{
	bool answered;

	/* Of all who wait here one flag tells, for whoever looks after the tracer. */
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
	do { /* others may have asked before */
		asked = 0;
		if (__atomic_compare_exchange_n(&s->nameless, &asked, key, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			asked = key;
		if (!await_answer(s, asked))
			return AGENT_NO_THREAD;
	} while (asked != key);
	return agent_find_thread(s, thread_pointer);
}
