/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking and leaving thread records. */
#include "agent/agent_internal.h"

void agent_activate(struct activation *a, const uint64_t *sp, uint64_t fp,
		    const struct arch_saved *saved)
{
	a->shared = agent_shared();
	a->saved = saved;
	a->pc = *sp;
	a->sp = (uint64_t)(uintptr_t)sp + sizeof *sp;
	a->fp = fp;
	a->thread_pointer = arch_thread_pointer();
	a->own_number = agent_find_thread(a->shared, a->thread_pointer);
	if (a->own_number == AGENT_NO_THREAD)
		a->own_number = agent_ask_name(a->shared, a->thread_pointer);
	if (a->own_number > AGENT_NO_THREAD)
		a->own_number = AGENT_NO_THREAD;
	a->own = a->own_number < AGENT_THREADS ? &a->shared->threads[a->own_number] : AGENT_NULL;
	a->record = AGENT_NULL;
	a->number = AGENT_NO_THREAD;
	a->seen = 0;
}

static bool take(struct activation *a, uint32_t number)
{
	struct agent_thread *t = &a->shared->threads[number];
	uint64_t nobody = 0;

	if (!__atomic_compare_exchange_n(&t->busy, &nobody, a->thread_pointer + 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	t->busy_sp = a->sp;
	a->record = t;
	a->number = number;
	return true;
}

void agent_take(struct activation *a)
{
	/* Handlers that interrupt each other begin at different spares. */
	uint32_t first = (uint32_t)((a->sp + a->thread_pointer) >> 6) % AGENT_SPARES;

	if (a->own && take(a, a->own_number))
		return;
	for (uint32_t i = 0; i < AGENT_SPARES; i++)
		if (take(a, (first + i) % AGENT_SPARES)) {
			a->record->n_frames = 0;
			a->record->stack_lo = a->record->stack_hi = 0;
			return;
		}
}

static void give_back(struct agent_thread *t)
{
	t->busy_sp = 0;
	__atomic_store_n(&t->busy, 0, __ATOMIC_RELEASE);
}

void agent_leave(struct activation *a)
{
	if (a->record)
		give_back(a->record);
	a->record = AGENT_NULL;
}

static void reclaim(struct activation *a, uint32_t number)
{
	struct agent_shared *s = a->shared;
	struct agent_thread *t = &s->threads[number];

	if (t == a->record || __atomic_load_n(&t->busy, __ATOMIC_ACQUIRE) != a->thread_pointer + 1)
		return;
	/* An activation at or below our frame on this stack is gone. One elsewhere may be on the
	 * stack of a sleeping coroutine. */
	if (t->busy_sp && (t->busy_sp < a->record->stack_lo || t->busy_sp > a->sp))
		return;
	agent_give_back_copy(s, number);
	t->n_frames = 0;
	agent_deep_give_back(s, number);
	give_back(t);
}

void agent_reclaim(struct activation *a)
{
	if (a->own)
		reclaim(a, a->own_number);
	for (uint32_t i = 0; i < AGENT_SPARES; i++)
		reclaim(a, i);
}
