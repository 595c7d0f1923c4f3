/* SPDX-License-Identifier: BSD-2-Clause */
/* The producers' side of the ring. */
#include "agent/agent_internal.h"

enum { AHEAD = 8 }; /* records: two lines of the cache */

/* Is there room for a record at @pos? */
static bool has_room(const struct agent_shared *s, uint64_t pos)
{
	/* Signed: a slow thread may be behind what has been read. */
	return (int64_t)(pos - __atomic_load_n(&s->tail, __ATOMIC_ACQUIRE)) <= AGENT_ROOM;
}

static struct agent_record *slot_of(struct agent_shared *s, uint64_t pos)
{
	return &s->ring[pos % AGENT_RING];
}

/* Switch off all pads. */
static void deactivate(struct agent_shared *s)
{
	uint32_t n = __atomic_load_n(&s->n_pads, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n && i < AGENT_PADS; i++)
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

static bool wait_for_room(struct agent_shared *s, uint32_t number, uint64_t pos)
{
	bool room;

	__atomic_store_n(&s->waiting[number], 1, __ATOMIC_RELAXED);
	while (!(room = has_room(s, pos)) && agent_may_wait(s))
		;
	__atomic_store_n(&s->waiting[number], 0, __ATOMIC_RELAXED);
	return room;
}

/* A position before which all positions are filled. */
static uint64_t first_to_look_at(const struct agent_shared *s)
{
	uint64_t head = __atomic_load_n(&s->head, __ATOMIC_RELAXED);
	uint64_t tail = __atomic_load_n(&s->tail, __ATOMIC_RELAXED);

	/* It may be far behind, or damaged. */
	return head - tail <= AGENT_RING ? head : tail;
}

/* The next position that seems to be empty, or for which there is no room. */
static uint64_t next_to_try(struct agent_shared *s, uint64_t pos)
{
	const struct agent_record *slot;

	do
		slot = slot_of(s, ++pos);
	while ((__atomic_load_n(&slot->lo, __ATOMIC_RELAXED) ||
		__atomic_load_n(&slot->hi, __ATOMIC_RELAXED) != pos / AGENT_RING) &&
	       has_room(s, pos));
	return pos;
}

/* Producers need not search before @pos. A plain store: a thread that is overtaken between load and
 * store sets it back a little, and others search a little more. */
static void advance(struct agent_shared *s, uint64_t pos)
{
	if (__atomic_load_n(&s->head, __ATOMIC_RELAXED) - pos > AGENT_RING)
		__atomic_store_n(&s->head, pos, __ATOMIC_RELAXED);
}

bool agent_put(struct agent_shared *s, uint32_t number, uint64_t lo, uint64_t hi)
{
	uint64_t pos = first_to_look_at(s);

	for (;; pos = next_to_try(s, pos)) {
		if (!has_room(s, pos) && !wait_for_room(s, number, pos))
			return false;
		if (arch_swap_pair(slot_of(s, pos), 0, pos / AGENT_RING, lo, hi))
			break;
	}
	advance(s, pos + 1);
	/* It is in the cache of the tracer's processor, which has read it. */
	arch_expect_write(slot_of(s, pos + AHEAD));
	return true;
}

/* Reading the clock takes as long as the rest of a record: while events are frequent, not each
 * reads it. */
static bool looks_at_clock(const struct agent_shared *s, struct agent_thread *own)
{
	if (own && own->untimed++ < __atomic_load_n(&s->untimed, __ATOMIC_RELAXED))
		return false;
	if (own)
		own->untimed = 0;
	return s->step_ticks;
}

void agent_put_time(struct agent_shared *s, struct agent_thread *own, uint32_t number)
{
	uint64_t now, last;

	if (!looks_at_clock(s, own))
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
