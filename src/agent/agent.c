/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What pads call: before a function of an allocator runs, after it has returned, and instead of both where
 * its entry alone is the event.
 *
 * A call that an allocator's function makes itself is nested, and not recorded. As long as a thread is in no
 * call of a pad there is nothing to find out. If it is, the stack tells: a pad out there, and the call is
 * nested in what that pad has called; a signal before that, and it is the handler's own; neither, and the
 * outer call has been left by a longjmp or an exception.
 */
#include "agent/agent_internal.h"

/* In agent_pending.state, above the depth that the thread was at. */
enum {
	STATE_DEPTH = 0xffffff,
	STATE_NESTED = 1 << 24,  /* not recorded */
	STATE_JUDGE = 1 << 25,   /* the tracer must find out whether it is */
	STATE_STRANGER = 1 << 26, /* of a thread without a record of its own, whose depth nobody knows */
};

/* Something to tell: one record, and words that come before it. */
struct event {
	struct activation *a;
	enum agent_kind kind;
	uint32_t words;	/* bits 1 << enum agent_word: which there are, in the thread record */
	uint64_t pointer, hi;
};

static void add_word(struct event *e, enum agent_word which, uint64_t value)
{
	e->words |= 1u << which;
	if (e->a->record)
		e->a->record->word[which] = value;
}

static uint64_t lo_of(enum agent_kind kind, uint64_t pointer, uint32_t number)
{
	return RECORD_SET | pointer << RECORD_POINTER_SHIFT | (uint64_t)kind << RECORD_KIND_SHIFT | number;
}

/* An event that is one record. It may come between the words and the record of who has been interrupted: it
 * does not say that it has words. */
static void tell_short(struct agent_shared *s, uint32_t number, enum agent_kind kind, uint64_t pointer,
		       uint64_t hi)
{
	agent_put_time(s, number);
	agent_put(s, number, lo_of(kind, pointer, number), hi);
}

/* Nobody else puts words of a->number meanwhile: that is what taking a record is for. */
static void tell_words(struct event *e)
{
	struct activation *a = e->a;
	uint64_t before = 0;

	agent_put_time(a->shared, a->number);
	for (uint32_t i = 0; i < AGENT_WORDS; i++) {
		if (!(e->words & 1u << i))
			continue;
		if (!agent_put(a->shared, a->number, lo_of(RECORD_WORD, i, a->number) | before,
			       a->record->word[i]))
			return;
		before = RECORD_WITH_WORDS;
	}
	agent_put(a->shared, a->number, lo_of(e->kind, e->pointer, a->number) | before, e->hi);
	a->record->stack = 0;
}

static void tell(struct event *e)
{
	struct activation *a = e->a;

	if (e->pointer > RECORD_POINTER_MAX) {
		add_word(e, WORD_POINTER, e->pointer);
		e->pointer = 0;
	}
	if (a->record && a->number < AGENT_SPARES)
		add_word(e, WORD_THREAD, a->thread_pointer);
	if (!e->words)
		tell_short(a->shared, a->own_number, e->kind, e->pointer, e->hi);
	else if (a->record)
		tell_words(e);
	else
		__atomic_fetch_add(&a->shared->uncounted, 1, __ATOMIC_RELAXED);
}

/* Walk, and give back what handlers that were left by longjmp had taken: that is seen from the stack. */
static struct agent_chain walk(struct activation *a, bool nodes)
{
	struct agent_chain chain = agent_walk(a, nodes);

	if (a->record != a->own && chain.whole && !chain.agent)
		agent_reclaim(a);
	return chain;
}

/* A call at depth @depth, or of a stranger: is it nested? STATE_NESTED, STATE_JUDGE or 0; in the last case
 * *@depth is put right. */
static uint64_t judge(struct activation *a, uint32_t *depth)
{
	struct agent_chain chain;

	if (!a->record)
		return STATE_JUDGE;
	chain = walk(a, false);
	if (chain.inside == INSIDE_PAD)
		return STATE_NESTED;
	if (chain.inside == INSIDE_SIGNAL)
		return 0;
	if (!chain.whole)
		return STATE_JUDGE;
	*depth = 0;
	return 0;
}

/* The stack, where the tracer has to see it. False: the tracer has gone. */
static bool add_stack(struct event *e)
{
	uint64_t word;

	if (!e->a->record || e->words & 1u << WORD_STACK)
		return true;
	if (!agent_copy_stack(e->a, &word))
		return false;
	add_word(e, WORD_STACK, word);
	return true;
}

/* An event at a function's entry, whose caller is of no interest unless @state says so. */
static void tell_entry(struct activation *a, enum agent_kind kind, uint64_t pointer, uint64_t hi,
		       uint64_t state)
{
	struct event e = { .a = a, .kind = kind, .words = 0, .pointer = pointer, .hi = hi };

	if (pointer > RECORD_POINTER_MAX && !a->record)
		agent_take(a);
	if (state & STATE_JUDGE) {
		add_word(&e, WORD_JUDGE, 0);
		if (!add_stack(&e))
			return;
	}
	tell(&e);
}

static uint64_t argument(const struct activation *a, uint32_t function, uint32_t shift)
{
	return arch_entry_argument(a->regs, function >> shift & AGENT_NO_ARG);
}

static uint64_t free_hi(const struct activation *a, uint32_t function)
{
	return (uint64_t)(function >> 16) << RECORD_FUNCTION_SHIFT | (a->pc & RECORD_RET_MASK);
}

/* Bytes that a call asks for; UINT64_MAX if they cannot be expressed. */
static uint64_t size_of(uint64_t count, uint64_t elem)
{
	uint64_t size;

	return __builtin_mul_overflow(count, elem, &size) ? UINT64_MAX : size;
}

static void keep_arguments(const struct activation *a, uint32_t function, struct agent_pending *p)
{
	uint64_t size = argument(a, function, 3), count = argument(a, function, 6);
	bool counted = (function >> 6 & AGENT_NO_ARG) != AGENT_NO_ARG;

	switch (function & 7) {
	case AGENT_ALLOC:
		p->a = counted ? size_of(count, size) : size;
		p->b = argument(a, function, 12);
		break;
	case AGENT_CALLOC:
		p->a = count;
		p->b = size;
		break;
	case AGENT_REALLOC:
		p->a = counted ? size_of(count, size) : size;
		p->b = argument(a, function, 9);
		break;
	default:
		break;
	}
}

/* What a function's entry alone has to say. The record has been taken if that is needed. */
static void tell_begin(struct activation *a, uint32_t function, uint64_t state)
{
	uint64_t block = argument(a, function, 9);

	if (state & STATE_NESTED)
		return;
	if ((function & 7) == AGENT_FREE)
		tell_entry(a, RECORD_FREE, block, free_hi(a, function), state);
	else if ((function & 7) == AGENT_REALLOC && block)
		tell_entry(a, RECORD_REALLOC_BEGIN, block, function >> 16, state);
}

/* A function is about to be called by a pad of the call form. */
__attribute__((used)) void agent_begin(const struct arch_entry_frame *regs, uint32_t function,
				       struct agent_pending *p)
{
	struct activation a;
	uint32_t depth;
	uint64_t state = 0;

	agent_activate(&a, regs, &p->ret);
	depth = a.own ? a.own->depth & STATE_DEPTH : 0;
	keep_arguments(&a, function, p);
	if (!a.own || depth) {
		agent_take(&a);
		state = judge(&a, &depth);
	}
	tell_begin(&a, function, state);
	agent_leave(&a);
	p->state = depth | state | (a.own ? 0 : STATE_STRANGER);
	if (a.own)
		a.own->depth = depth + 1;
}

/* The block that a function has given; 0: none. */
static uint64_t block_of(const struct activation *a, uint32_t function, const struct agent_pending *p)
{
	uint64_t result = arch_entry_result(a->regs);

	if ((function & 7) != AGENT_ALLOC || (function >> 12 & AGENT_NO_ARG) == AGENT_NO_ARG)
		return result;
	return result & UINT32_MAX ? 0 : *(const uint64_t *)(uintptr_t)p->b;
}

/* Everything but the chain. Tells the size that the record can hold. */
static uint64_t describe(struct event *e, uint32_t function, const struct agent_pending *p)
{
	const struct activation *a = e->a;
	uint64_t size = p->a;

	e->pointer = block_of(a, function, p);
	if ((function & 7) == AGENT_ALLOC) {
		e->kind = RECORD_ALLOC;
	} else if ((function & 7) == AGENT_CALLOC) {
		e->kind = RECORD_CALLOC;
		size = size_of(p->a, p->b);
		if (a->shared->flags & AGENT_WANT_ARGUMENTS) {
			add_word(e, WORD_COUNT, p->a);
			add_word(e, WORD_ELEM, p->b);
		}
	} else {
		e->kind = RECORD_REALLOC;
		if (p->b)
			add_word(e, WORD_OLD, p->b);
		if (!e->pointer)
			add_word(e, WORD_FUNCTION, function >> 16);
	}
	if (a->shared->flags & AGENT_WANT_SP)
		add_word(e, WORD_SP, a->sp);
	if (size <= RECORD_SIZE_MAX)
		return size;
	add_word(e, WORD_SIZE, size);
	return 0;
}

/* The chain of the event: its node, or a copy of the stack. False: the tracer has gone. */
static bool add_chain(struct event *e, uint64_t state, uint32_t *node)
{
	struct activation *a = e->a;

	if (!a->record) {
		*node = agent_node_below(a->shared, 0, ROOT_TOO_DEEP, a->shared->epoch);
		return true;
	}
	*node = walk(a, true).node;
	if (state & STATE_JUDGE)
		add_word(e, WORD_JUDGE, 0);
	if (*node && !(state & STATE_JUDGE) && !(a->shared->flags & AGENT_WANT_STACKS))
		return true;
	return add_stack(e);
}

/* The function has returned to a pad of the call form. */
__attribute__((used)) void agent_end(const struct arch_entry_frame *regs, uint32_t function,
				     struct agent_pending *p)
{
	struct activation a;
	struct event e = { .a = &a, .words = 0 };
	uint64_t size;
	uint32_t node;

	agent_activate(&a, regs, &p->ret);
	if (a.own && !(p->state & STATE_STRANGER))
		a.own->depth = p->state & STATE_DEPTH;
	if (p->state & STATE_NESTED || (function & 7) == AGENT_FREE)
		return;
	agent_take(&a);
	size = describe(&e, function, p);
	if (add_chain(&e, p->state, &node)) {
		e.hi = size << RECORD_SIZE_SHIFT | node;
		tell(&e);
	}
	agent_leave(&a);
}

/* A block is about to be freed: the pad of the tail form jumps on to the function. */
__attribute__((used)) void agent_free(const struct arch_entry_frame *regs, uint32_t function,
				      const uint64_t *ret)
{
	struct activation a;
	uint32_t depth;
	uint64_t state = 0;

	agent_activate(&a, regs, ret);
	depth = a.own ? a.own->depth & STATE_DEPTH : 0;
	if (!a.own || depth) {
		agent_take(&a);
		state = judge(&a, &depth);
		if (a.own)
			a.own->depth = depth;
	}
	tell_begin(&a, function, state);
	agent_leave(&a);
}
