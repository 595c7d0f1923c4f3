/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring, as who puts records into it sees it. */
#include "agent/agent_internal.h"

enum { AHEAD = 8 }; /* records: two lines of the cache */

static bool has_room(struct agent_shared *s)
{
	uint64_t head = __atomic_load_n(&s->head, __ATOMIC_RELAXED);
	uint64_t tail = __atomic_load_n(&s->tail, __ATOMIC_ACQUIRE);

	/* Signed: a consumer that has passed over what is reserved may be ahead of the head that
	 * we read. */
	return (int64_t)(head - tail) <= AGENT_ROOM;
}

/* All pads pass through from now on. */
static void deactivate(struct agent_shared *s)
{
	for (uint32_t i = 0; i < s->n_pads && i < AGENT_PADS; i++)
		__atomic_store_n((uint8_t *)(uintptr_t)s->pads[i].active, 0, __ATOMIC_RELAXED);
}

bool agent_may_wait(struct agent_shared *s)
{
	uint32_t owner = __atomic_load_n(&s->owner, __ATOMIC_RELAXED);

	if (owner & AGENT_OWNER_DIED || !(owner & AGENT_OWNER_TID) ||
	    __atomic_load_n(&s->passive, __ATOMIC_RELAXED)) {
		deactivate(s);
		return false;
	}
	arch_pause();
	return true;
}

static bool wait_for_room(struct agent_shared *s, uint32_t number)
{
	bool room;

	__atomic_store_n(&s->waiting[number], 1, __ATOMIC_RELAXED);
	while (!(room = has_room(s)) && agent_may_wait(s))
		;
	__atomic_store_n(&s->waiting[number], 0, __ATOMIC_RELAXED);
	return room;
}

bool agent_put(struct agent_shared *s, uint32_t number, uint64_t lo, uint64_t hi)
{
	uint64_t pos;

	do {
		if (!has_room(s) && !wait_for_room(s, number))
			return false;
		pos = __atomic_fetch_add(&s->head, 1, __ATOMIC_RELAXED);
		/* Not as it was: the consumer has passed over it. Another position. */
	} while (!arch_swap_pair(&s->ring[pos % AGENT_RING], 0, pos / AGENT_RING, lo, hi));
	/* Who has read it has it in his cache. */
	__builtin_prefetch(&s->ring[(pos + AHEAD) % AGENT_RING], 1);
	return true;
}

void agent_put_time(struct agent_shared *s, uint32_t number)
{
	uint64_t now, last;

	if (!s->step_ticks)
		return;
	now = arch_ticks();
	last = __atomic_load_n(&s->last_ticks, __ATOMIC_RELAXED);
	/* Signed: processors' clocks differ a little. */
	if ((int64_t)(now - last) < (int64_t)s->step_ticks)
		return;
	if (__atomic_compare_exchange_n(&s->last_ticks, &last, now, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		agent_put(s, number,
			  RECORD_SET | (uint64_t)RECORD_TIME << RECORD_KIND_SHIFT | AGENT_NO_THREAD,
			  now);
}
