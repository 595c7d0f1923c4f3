/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What pads call: before a function of an allocator runs, after it has returned, or only before it
 * where its entry alone is the event.
 *
 * A call that an allocator's function makes itself is nested, and not recorded. While a thread is
 * in no call of a pad no call can be nested. If it is in one the stack tells, going outwards: if
 * there is a pad, the call is nested in what that pad has called; if a signal handler comes first,
 * it is the handler's own call; if neither is there, the outer call has been left by a longjmp or
 * an exception.
 *
 * Of functions that have breakpoints only the tracer knows which calls are pending. While a thread
 * is in one the tracer decides whether calls through pads are nested.
 */
#include "agent/agent_internal.h"

/* In agent_pending.state. */
enum {
	STATE_NESTED = AGENT_UNTOLD, /* not recorded */
	STATE_JUDGE = 2,  /* the tracer must find out whether it is */
};

/* An event to be recorded: one record, and words that come before it. */
struct event {
	struct activation *a;
	enum agent_kind kind;
	uint32_t words;	/* bits 1 << enum agent_word: which are set in the thread record */
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
	return RECORD_SET | pointer << RECORD_POINTER_SHIFT | (uint64_t)kind << RECORD_KIND_SHIFT |
	       number;
}

/* Put an event of one record. If we are in a signal handler it may come between the words and the
 * record of the interrupted activation: so it says that it has no words. */
static void tell_short(const struct event *e)
{
	const struct activation *a = e->a;

	agent_put_time(a->shared, a->own, a->own_number);
	agent_put(a->shared, a->own_number, lo_of(e->kind, e->pointer, a->own_number), e->hi);
}

/* Put an event with words. No other activation puts words of a->number meanwhile, for we have taken
 * its record. */
static void tell_words(struct event *e)
{
	struct activation *a = e->a;
	uint64_t before = 0;

	agent_put_time(a->shared, a->own, a->number);
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
		tell_short(e);
	else if (a->record)
		tell_words(e);
	else
		__atomic_fetch_add(&a->shared->uncounted, 1, __ATOMIC_RELAXED);
}

/* Walk the stack, and give back what handlers had taken that were left by longjmp, as the stack
 * shows. */
static void walk(struct activation *a, bool nodes, bool judged, struct agent_chain *chain)
{
	agent_walk(a, nodes, judged, chain);
	if (a->record != a->own && chain->whole && !chain->agent)
		agent_reclaim(a);
}

/* Is a call nested, judging by the stack, if the thread's depth, *@depth, does not tell, or the
 * thread is a stranger? Returns STATE_NESTED, STATE_JUDGE, or 0, and then *@depth is corrected. */
static uint64_t judge(struct activation *a, uint64_t *depth)
{
	struct agent_chain chain;

	if (!a->record)
		return STATE_JUDGE;
	walk(a, false, true, &chain);
	if (!chain.inside && chain.whole)
		*depth = 0;
	if (a->own && agent_outer_at(a->own))
		return STATE_JUDGE;
	if (chain.inside == INSIDE_PAD)
		return STATE_NESTED;
	return chain.inside || chain.whole ? 0 : STATE_JUDGE;
}

/* Add a copy of the stack, for the tracer to unwind; without @words, only the registers. False: the
 * tracer has gone. */
static bool add_stack(struct event *e, bool words)
{
	uint64_t word;

	if (!e->a->record || e->words & 1u << WORD_STACK)
		return true;
	if (!agent_copy_stack(e->a, words, &word))
		return false;
	add_word(e, WORD_STACK, word);
	return true;
}

static enum agent_call call_of(uint32_t probe)
{
	return (enum agent_call)(probe & 0xff);
}

static uint64_t function_of(uint32_t probe)
{
	return probe >> 8 & 0xffff;
}

/* Has the walk shown what made the call, so that the tracer need not unwind the stack again? */
static bool is_clear(uint64_t seen)
{
	return seen & (SEEN_OUTER | SEEN_PAD);
}

/* Add all that the tracer needs to judge; @words: a copy of the stack is needed in any case. False:
 * the tracer has gone. */
static bool ask_for_judgement(struct event *e, uint32_t probe, bool words)
{
	add_word(e, WORD_JUDGE, e->a->seen);
	add_word(e, WORD_FUNCTION, function_of(probe));
	return add_stack(e, words || !is_clear(e->a->seen));
}

/* Record an event at a function's entry, whose caller matters only if @state says so. */
static void tell_entry(struct activation *a, enum agent_kind kind, uint32_t probe, uint64_t pointer,
		       uint64_t hi, uint64_t state)
{
	struct event e = { .a = a, .kind = kind, .words = 0, .pointer = pointer, .hi = hi };
	const bool wants_sp = kind == RECORD_FREE && a->shared->flags & AGENT_WANT_SP;

	if ((pointer > RECORD_POINTER_MAX || wants_sp) && !a->record)
		agent_take(a);
	if (wants_sp && a->record)
		add_word(&e, WORD_SP, a->sp);
	if (!(state & STATE_JUDGE) || ask_for_judgement(&e, probe, false))
		tell(&e);
}

static void tell_free(struct activation *a, uint32_t probe, uint64_t block, uint64_t state)
{
	if (!(state & STATE_NESTED))
		tell_entry(a, RECORD_FREE, probe, block,
			   function_of(probe) << RECORD_FUNCTION_SHIFT | (a->pc & RECORD_RET_MASK),
			   state);
}

/* The state of a call that begins: is it nested? Sets *@depth. Takes the thread record unless the
 * answer is obvious. */
static uint64_t state_of(struct activation *a, uint64_t *depth)
{
	*depth = a->own ? a->own->depth : 0;
	if (a->own && !*depth && !agent_outer_at(a->own))
		return 0;
	agent_take(a);
	return judge(a, depth);
}

/* The call is pending from now on. */
static void begin(struct agent_thread *own, uint64_t depth, const uint64_t *sp, uint64_t state)
{
	/* The depth first: a handler that comes now uses the next entry. */
	own->depth = depth + 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (depth < AGENT_PENDING)
		own->pending[depth] = (struct agent_pending){ (uint64_t)(uintptr_t)sp, state };
}

/* The state of a call that has ended. Calls inside of it that are still pending have been left by a
 * longjmp. False: the call is not known. */
static bool end(struct agent_thread *own, const uint64_t *sp, uint64_t *state)
{
	uint64_t depth = own->depth < AGENT_PENDING ? own->depth : AGENT_PENDING;

	while (depth)
		if (own->pending[--depth].sp == (uint64_t)(uintptr_t)sp) {
			*state = own->pending[depth].state;
			own->depth = depth;
			return true;
		}
	return false;
}

/* The address of a word of the shared memory. */
#define AT(word) ((uint64_t)(uintptr_t)&(word))

/*
 * The fast path for the beginning of most calls, before any register has been saved: the thread is
 * known, and in no call yet. All memory is accessed so that a fault is expected: another fault
 * could not be undone here. False: agent_begin() has to do it.
 */
__attribute__((used)) ARCH_CHANGES_NOTHING bool agent_enter(const uint64_t *sp)
{
	struct agent_shared *s = agent_shared();
	uint64_t thread_pointer = arch_thread_pointer(), there, number, depth, outer;
	const struct agent_key *k = &s->keys[agent_key_slot(thread_pointer)];
	struct agent_thread *own;

	if (!arch_read(AT(k->thread_pointer), &there) || there != thread_pointer + 1 ||
	    !arch_read(AT(k->number), &number) || number >= AGENT_THREADS)
		return false;
	own = &s->threads[number];
	if (!arch_read(AT(own->depth), &depth) || depth ||
	    !arch_read(AT(own->outer_at), &outer) || outer)
		return false;
	/* In the order of begin(). */
	return arch_write(AT(own->depth), 1) &&
	       arch_write(AT(own->pending[0].sp), (uint64_t)(uintptr_t)sp) &&
	       arch_write(AT(own->pending[0].state), 0);
}

/* A function is about to be called by a pad of the call form, which has saved some arguments in
 * @words. */
__attribute__((used)) void agent_begin(const uint64_t *words, const uint64_t *sp, uint64_t fp,
				       uint32_t probe, uint64_t unused,
				       const struct arch_saved *saved)
{
	enum agent_call call = call_of(probe);
	struct activation a;
	uint64_t depth, state;

	(void)unused;
	agent_activate(&a, sp, fp, saved);
	state = state_of(&a, &depth);
	if (call == AGENT_FREE)
		tell_free(&a, probe, words[0], state);
	else if ((call == AGENT_REALLOC || call == AGENT_REALLOC_ARRAY) && words[0] &&
		 !(state & STATE_NESTED))
		tell_entry(&a, RECORD_REALLOC_BEGIN, probe, words[0], function_of(probe), state);
	agent_leave(&a);
	if (a.own)
		begin(a.own, depth, sp, state);
}

/* The bytes that a call requests; UINT64_MAX on overflow. */
static uint64_t size_of(uint64_t count, uint64_t elem)
{
	uint64_t size;

	return __builtin_mul_overflow(count, elem, &size) ? UINT64_MAX : size;
}

static void describe_realloc(struct event *e, uint32_t probe, uint64_t old)
{
	e->kind = RECORD_REALLOC;
	if (old)
		add_word(e, WORD_OLD, old);
	if (!e->pointer)
		add_word(e, WORD_FUNCTION, function_of(probe));
}

static void describe_calloc(struct event *e, const uint64_t *words)
{
	e->kind = RECORD_CALLOC;
	if (!(e->a->shared->flags & AGENT_WANT_ARGUMENTS))
		return;
	add_word(e, WORD_COUNT, words[0]);
	add_word(e, WORD_ELEM, words[1]);
}

/* Set the kind of event and the pointer. Returns the bytes that were requested. */
static uint64_t describe(struct event *e, uint32_t probe, uint64_t result, const uint64_t *words)
{
	e->kind = RECORD_ALLOC;
	e->pointer = result;
	switch (call_of(probe)) {
	case AGENT_ALLOC_OUT:
		e->pointer = (uint32_t)result ? 0 : *(const uint64_t *)(uintptr_t)words[0];
		return words[1];
	case AGENT_ALLOC_ARRAY:
		return size_of(words[0], words[1]);
	case AGENT_CALLOC:
		describe_calloc(e, words);
		return size_of(words[0], words[1]);
	case AGENT_REALLOC:
		describe_realloc(e, probe, words[0]);
		return words[1];
	case AGENT_REALLOC_ARRAY:
		describe_realloc(e, probe, words[0]);
		return size_of(words[1], words[2]);
	default:
		return words[0];
	}
}

/* Add the chain of the event: its node, or a copy of the stack. False: the tracer has gone. */
static bool add_chain(struct event *e, uint32_t probe, uint64_t state, uint32_t *node)
{
	struct activation *a = e->a;
	struct agent_chain chain;

	if (!a->record) {
		*node = agent_node_below(a->shared, 0, ROOT_TOO_DEEP,
					 __atomic_load_n(&a->shared->epoch, __ATOMIC_RELAXED));
		return true;
	}
	walk(a, true, state & STATE_JUDGE, &chain);
	*node = chain.node;
	const bool words = !*node || a->shared->flags & AGENT_WANT_STACKS;

	if (state & STATE_JUDGE)
		return ask_for_judgement(e, probe, words);
	return !words || add_stack(e, true);
}

/* Record an allocation, or a failed request. */
static void tell_alloc(struct activation *a, uint32_t probe, uint64_t result, const uint64_t *words,
		       uint64_t state)
{
	struct event e = { .a = a, .words = 0 };
	uint64_t size = describe(&e, probe, result, words);
	uint32_t node;

	if (a->shared->flags & AGENT_WANT_SP)
		add_word(&e, WORD_SP, a->sp);
	if (size > RECORD_SIZE_MAX) {
		add_word(&e, WORD_SIZE, size);
		size = 0;
	}
	if (!add_chain(&e, probe, state, &node))
		return;
	e.hi = size << RECORD_SIZE_SHIFT | node;
	tell(&e);
}

/* The same if one record is enough and the chain has been found before: this needs no thread
 * record. False: nothing has been recorded. */
static bool tell_known_alloc(struct activation *a, uint32_t probe, uint64_t result,
			     const uint64_t *words)
{
	struct event e = { .a = a, .words = 0 };
	uint64_t size;
	uint32_t node;

	if (a->shared->flags || !agent_stack_is_known(a))
		return false;
	size = describe(&e, probe, result, words);
	if (e.words || size > RECORD_SIZE_MAX || e.pointer > RECORD_POINTER_MAX ||
	    !agent_chain_known(a, __atomic_load_n(&a->shared->epoch, __ATOMIC_RELAXED), &node))
		return false;
	e.hi = size << RECORD_SIZE_SHIFT | node;
	tell_short(&e);
	return true;
}

/* The function has returned to a pad of the call form. */
__attribute__((used)) void agent_end(uint64_t result, const uint64_t *sp, uint64_t fp,
				     uint32_t probe, const uint64_t *words,
				     const struct arch_saved *saved)
{
	struct activation a;
	uint64_t depth;
	uint64_t state = 0;
	bool known;

	agent_activate(&a, sp, fp, saved);
	known = a.own && end(a.own, sp, &state);
	if (call_of(probe) == AGENT_FREE || state & STATE_NESTED)
		return;
	if (known && !state && tell_known_alloc(&a, probe, result, words))
		return;
	agent_take(&a);
	if (!known)
		state = judge(&a, &depth);
	if (!(state & STATE_NESTED))
		tell_alloc(&a, probe, result, words, state);
	agent_leave(&a);
}

/* A block is about to be freed: the pad of the tail form jumps on to the function. */
__attribute__((used)) void agent_free(uint64_t block, const uint64_t *sp, uint64_t fp,
				      uint32_t probe, uint64_t unused,
				      const struct arch_saved *saved)
{
	struct activation a;
	uint64_t depth, state;

	(void)unused;
	agent_activate(&a, sp, fp, saved);
	state = state_of(&a, &depth);
	tell_free(&a, probe, block, state);
	agent_leave(&a);
	if (a.own)
		a.own->depth = depth;
}
