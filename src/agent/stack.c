/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack as memory: where it ends, and copies of it for the tracer. */
#include "agent/agent_internal.h"

/* The range that @sp is in; lo == hi: none. ranges[] is sorted, and may be changing. */
static struct agent_range find_range(const struct agent_shared *s, uint64_t sp)
{
	uint32_t lo = 0, hi = __atomic_load_n(&s->n_ranges, __ATOMIC_RELAXED);

	if (hi > AGENT_RANGES)
		hi = AGENT_RANGES;
	while (lo < hi) {
		const uint32_t mid = (lo + hi) / 2;
		const struct agent_range r = {
			__atomic_load_n(&s->ranges[mid].lo, __ATOMIC_RELAXED),
			__atomic_load_n(&s->ranges[mid].hi, __ATOMIC_RELAXED),
		};

		if (sp < r.lo)
			hi = mid;
		else if (sp >= r.hi)
			lo = mid + 1;
		else
			return r;
	}
	return (struct agent_range){ 0 };
}

/* The range, as of *@turn, which is even; lo == hi: none. False: the tracer has gone while it was
 * writing. */
static bool look_up(struct agent_shared *s, uint64_t sp, struct agent_range *out, uint32_t *turn)
{
	for (;;) {
		*turn = __atomic_load_n(&s->ranges_turn, __ATOMIC_ACQUIRE);
		if (*turn & 1) {
			if (!agent_may_wait(s))
				return false;
			continue;
		}
		*out = find_range(s, sp);
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
	/* Twice: the map for the first answer may have been read before the stack was mapped. */
	for (int asked = 0; r.lo == r.hi && asked < 2; asked++)
		if (!ask(a, turn) || !look_up(s, a->sp, &r, &turn))
			return false;
	/* Remembered frames may be in memory that is not mapped any more. */
	if (r.lo != t->stack_lo || r.hi != t->stack_hi)
		t->n_frames = 0;
	t->stack_lo = r.lo;
	t->stack_hi = r.hi;
	t->ranges_turn = turn;
	return r.lo != r.hi;
}

uint64_t agent_stack_end(const struct agent_shared *s, uint64_t sp)
{
	return find_range(s, sp).hi;
}

/* Take a stack copy. *@turn: its turn. */
static bool take_copy(struct activation *a, uint32_t number, uint64_t *turn)
{
	struct agent_stack *copy = &a->shared->stacks[number];
	const uint64_t claim = __atomic_load_n(&copy->claim, __ATOMIC_RELAXED);
	const uint64_t ours = claim_taken(claim, a->number + 1);

	if (claim_owner(claim))
		return false;
	*turn = claim_turn(ours);
	/* Before the claim: if a handler never comes back it must be known which copy we were about
	 * to take. */
	a->record->stack = number + 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return claim_change(copy, claim, ours);
}

static bool take_any_copy(struct activation *a, uint32_t *number, uint64_t *turn)
{
	for (uint32_t i = 0; i < AGENT_STACKS; i++) {
		*number = (a->number + i) % AGENT_STACKS;
		if (take_copy(a, *number, turn))
			return true;
	}
	return false;
}

/* Take a copy, waiting for one if necessary. False: the tracer has gone. */
static bool wait_for_copy(struct activation *a, uint32_t *number, uint64_t *turn)
{
	uint32_t *waiting = &a->shared->waiting[a->number];
	bool taken;

	if (take_any_copy(a, number, turn))
		return true;
	__atomic_store_n(waiting, 1, __ATOMIC_RELAXED);
	while (!(taken = take_any_copy(a, number, turn)) && agent_may_wait(a->shared))
		;
	__atomic_store_n(waiting, 0, __ATOMIC_RELAXED);
	return taken;
}

void agent_give_back_copy(struct agent_shared *s, uint32_t number)
{
	struct agent_thread *t = &s->threads[number];
	uint32_t stack = t->stack;

	t->stack = 0;
	if (stack && stack <= AGENT_STACKS)
		agent_stack_leave(&s->stacks[stack - 1], number + 1);
}

bool agent_copy_stack(struct activation *a, bool with_words, uint64_t *word)
{
	struct agent_stack *copy;
	uint64_t words = 0, turn;
	uint32_t number;

	if (!wait_for_copy(a, &number, &turn))
		return false;
	copy = &a->shared->stacks[number];
	copy->pc = a->pc;
	copy->sp = a->sp;
	copy->fp = a->fp;
	arch_copy_saved(a->saved, copy->saved);
	if (with_words && a->record->stack_lo <= a->sp && a->sp < a->record->stack_hi)
		words = (a->record->stack_hi - a->sp) / 8;
	if (words > AGENT_STACK_BYTES / 8)
		words = AGENT_STACK_BYTES / 8;
	for (uint64_t i = 0; i < words; i++)
		if (!arch_read(a->sp + i * 8, &copy->word[i]))
			words = i;
	*word = words << 48 | turn << 32 | number;
	return true;
}
