/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack as memory: where it ends, and copies of it for the tracer. */
#include "agent/agent_internal.h"

/* In a sanitized build of the tests: what lies between variables is read on purpose. */
__attribute__((no_sanitize("address"), noinline)) uint64_t agent_load(uint64_t at)
{
	return *(const volatile uint64_t *)(uintptr_t)at;
}

/* The range that @sp is in, or NULL. ranges[] is sorted, and may be changing. */
static const struct agent_range *find_range(const struct agent_shared *s, uint64_t sp)
{
	uint32_t lo = 0, hi = __atomic_load_n(&s->n_ranges, __ATOMIC_RELAXED);

	if (hi > AGENT_RANGES)
		hi = AGENT_RANGES;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (sp < s->ranges[mid].lo)
			hi = mid;
		else if (sp >= s->ranges[mid].hi)
			lo = mid + 1;
		else
			return &s->ranges[mid];
	}
	return AGENT_NULL;
}

/* As of *@turn, which is even; lo == hi: in none. False: the tracer has gone while it wrote. */
static bool look_up(struct agent_shared *s, uint64_t sp, struct agent_range *out, uint32_t *turn)
{
	for (;;) {
		const struct agent_range *r;

		*turn = __atomic_load_n(&s->ranges_turn, __ATOMIC_ACQUIRE);
		if (*turn & 1) {
			if (!agent_may_wait(s))
				return false;
			continue;
		}
		r = find_range(s, sp);
		out->lo = r ? r->lo : 0;
		out->hi = r ? r->hi : 0;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&s->ranges_turn, __ATOMIC_RELAXED) == *turn)
			return true;
	}
}

/* Wait until the tracer has read the map again. False: it has gone. */
static bool ask(struct activation *a, uint32_t turn)
{
	struct agent_shared *s = a->shared;
	bool told;

	__atomic_store_n(&s->asked_sp, a->sp, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s->asks, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&s->waiting[a->number], 1, __ATOMIC_RELAXED);
	while (!(told = __atomic_load_n(&s->ranges_turn, __ATOMIC_ACQUIRE) != turn) &&
	       agent_may_wait(s))
		;
	__atomic_store_n(&s->waiting[a->number], 0, __ATOMIC_RELAXED);
	return told;
}

bool agent_know_stack(struct activation *a)
{
	struct agent_shared *s = a->shared;
	struct agent_thread *t = a->record;
	struct agent_range r;
	uint32_t turn = __atomic_load_n(&s->ranges_turn, __ATOMIC_ACQUIRE);

	if (t->ranges_turn == turn && a->sp >= t->stack_lo && a->sp < t->stack_hi)
		return true;
	if (!look_up(s, a->sp, &r, &turn))
		return false;
	if (r.lo == r.hi && (!ask(a, turn) || !look_up(s, a->sp, &r, &turn)))
		return false;
	/* What was remembered may lie where nothing is any more. */
	if (r.lo != t->stack_lo || r.hi != t->stack_hi)
		t->n_frames = 0;
	t->stack_lo = r.lo;
	t->stack_hi = r.hi;
	t->ranges_turn = turn;
	return r.lo != r.hi;
}

uint64_t agent_stack_end(const struct agent_shared *s, uint64_t sp)
{
	const struct agent_range *r = find_range(s, sp);

	return r ? r->hi : 0;
}

/* The number of a copy that nobody has. False: the tracer has gone. */
static bool take_copy(struct activation *a, uint32_t *number)
{
	struct agent_shared *s = a->shared;
	bool told = false;

	for (;;) {
		for (uint32_t i = 0; i < AGENT_STACKS; i++) {
			uint32_t free = 0;

			*number = (a->number + i) % AGENT_STACKS;
			if (!__atomic_load_n(&s->stacks[*number].taken, __ATOMIC_RELAXED) &&
			    __atomic_compare_exchange_n(&s->stacks[*number].taken, &free, a->number + 1,
							false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
				if (told)
					__atomic_store_n(&s->waiting[a->number], 0, __ATOMIC_RELAXED);
				return true;
			}
		}
		__atomic_store_n(&s->waiting[a->number], 1, __ATOMIC_RELAXED);
		told = true;
		if (!agent_may_wait(s)) {
			__atomic_store_n(&s->waiting[a->number], 0, __ATOMIC_RELAXED);
			return false;
		}
	}
}

bool agent_copy_stack(struct activation *a, uint64_t *word)
{
	struct agent_stack *copy;
	uint64_t bytes = 0;
	uint32_t number;

	if (!take_copy(a, &number))
		return false;
	a->record->stack = number + 1;
	copy = &a->shared->stacks[number];
	copy->pc = a->pc;
	copy->sp = a->sp;
	copy->fp = a->fp;
	arch_entry_saved(a->regs, copy->saved);
	if (a->record->stack_lo <= a->sp && a->sp < a->record->stack_hi)
		bytes = (a->record->stack_hi - a->sp) & ~UINT64_C(7);
	if (bytes > AGENT_STACK_BYTES)
		bytes = AGENT_STACK_BYTES;
	for (uint64_t i = 0; i < bytes / 8; i++)
		copy->word[i] = agent_load(a->sp + i * 8);
	copy->bytes = (uint32_t)bytes;
	*word = bytes << 32 | number;
	return true;
}
