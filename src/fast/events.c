/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/events.h"

#include "arch/arch.h"
#include "probes/outcome.h"

#include <errno.h>
#include <string.h>

void events_now(struct events *v, uint64_t ticks, uint64_t ns)
{
	v->moments.ticks[0] = v->moments.ticks[1];
	v->moments.ns[0] = v->moments.ns[1];
	v->moments.ticks[1] = ticks;
	v->moments.ns[1] = ns;
	v->placed = false;
}

void events_bound(struct events *v, uint64_t drained_ns, uint64_t step_ticks)
{
	v->drained_ns = drained_ns;
	v->step_ticks = step_ticks;
	v->placed = false;
}

/* The time of @ticks, which is between the two moments; @otherwise if it is not before the second
 * one, or cannot be told. */
static uint64_t ns_of(const struct moments *m, uint64_t ticks, uint64_t otherwise)
{
	if (!m->ticks[0] || ticks >= m->ticks[1] || m->ticks[0] >= m->ticks[1])
		return otherwise;
	uint64_t since = ticks > m->ticks[0] ? ticks - m->ticks[0] : 0;
	unsigned __int128 part = (unsigned __int128)since * (m->ns[1] - m->ns[0]);
	return m->ns[0] + (uint64_t)(part / (m->ticks[1] - m->ticks[0]));
}

uint64_t events_time(const struct events *v, uint64_t ticks)
{
	uint64_t ns = ns_of(&v->moments, ticks, v->moments.ns[1]);

	return ns > v->last_ns ? ns : v->last_ns;
}

uint64_t events_until(const struct events *v, const struct ring_record *r)
{
	uint64_t latest = r->until_ticks ? r->until_ticks : UINT64_MAX;

	if (v->step_ticks && r->ticks && r->ticks < latest && latest - r->ticks > v->step_ticks)
		latest = r->ticks + v->step_ticks;
	return ns_of(&v->moments, latest, v->drained_ns);
}

uint32_t events_untimed(uint64_t records, uint64_t ns)
{
	enum { MOMENT_NS = 10000, MOST = 255 };
	uint64_t n = ns ? records * MOMENT_NS / ns : 0;

	return n < MOST ? (uint32_t)n : MOST;
}

/* Find the time of a record. Most records are between the same two readings of the clock as the one
 * before, which has been computed already. */
static void place(struct events *v, const struct ring_record *r)
{
	if (v->placed && r->ticks == v->placed_ticks && r->until_ticks == v->placed_until_ticks)
		return;
	v->last_ns = events_time(v, r->ticks);
	v->until_ns = events_until(v, r);
	v->placed_ticks = r->ticks;
	v->placed_until_ticks = r->until_ticks;
	v->placed = true;
}

static bool has(const struct ring_record *r, enum agent_word which)
{
	return r->words & 1u << which;
}

/* The task of a record. An unknown thread is taken for the process. */
static pid_t task_of(const struct events *v, const struct ring_record *r)
{
	uint32_t number = r->thread;

	if (number < AGENT_SPARES || number == AGENT_NO_THREAD)
		number = has(r, WORD_THREAD) ? threads_find(v->threads, r->word[WORD_THREAD])
					     : AGENT_NO_THREAD;
	pid_t tid = number == AGENT_NO_THREAD ? 0 : threads_tid(v->threads, number);
	return tid ? tid : v->pid;
}

static const struct engine_function *function_of(const struct events *v, uint64_t number)
{
	return number < v->n_functions ? &v->functions[number] : NULL;
}

static struct stack_copy copy_of(const struct ring_stack *s)
{
	struct stack_copy copy = { .pc = s->pc, .sp = s->sp, .bytes = s->word, .len = s->bytes };

	for (unsigned i = 0, j = 0; i < ARCH_KEPT_REGS; i++)
		copy.kept[i] = i == arch_frame_pointer ? s->fp : s->saved[j++];
	return copy;
}

/* The chain unwound from a copy of the stack. */
static void unwind(const struct events *v, pid_t tid, const struct ring_stack *s,
		   struct alloc_chain *chain)
{
	const struct stack_copy copy = copy_of(s);

	if (v->host->unwind(v->host->ctx, tid, &copy, chain))
		*chain = (struct alloc_chain){ .truncated = CHAIN_UNREADABLE };
}

static struct engine_seen seen_by(uint64_t word)
{
	return (struct engine_seen){
		.outer_at = word & SEEN_OUTER_AT_MASK,
		.kept = word & SEEN_KEPT,
		.whole = word & (SEEN_WHOLE | SEEN_OUTER | SEEN_PAD),
		.outer = word & SEEN_OUTER && !(word & SEEN_PAD),
		.own = word & SEEN_PAD,
		.signal = word & SEEN_SIGNAL,
		.pending = word & SEEN_PENDING,
	};
}

/* Where the agent could not tell, its copy of the stack does. True: the call was made by the
 * allocator itself, inside of another one. */
static bool is_nested(const struct events *v, const struct ring_record *r, pid_t tid,
		      enum alloc_label *label)
{
	if (!has(r, WORD_JUDGE) || !r->stack)
		return false;
	const bool gives = r->kind != RECORD_FREE && r->kind != RECORD_REALLOC_BEGIN;
	const struct stack_copy copy = copy_of(r->stack);
	const struct engine_call call = {
		.tid = tid,
		.function = has(r, WORD_FUNCTION) ? function_of(v, r->word[WORD_FUNCTION]) : NULL,
		.freed = r->kind == RECORD_FREE ? r->pointer : 0,
		.gives = gives ? r->pointer : 0,
		.stack = &copy,
		.seen = seen_by(r->word[WORD_JUDGE]),
	};

	return v->host->is_nested(v->host->ctx, &call, label);
}

/* Compare the chain that the agent has found with one unwound from a copy of the stack. A copy that
 * does not reach the chain's end can only prove the chain wrong. */
static void check(const struct events *v, const struct ring_record *r, pid_t tid,
		  enum chain_end end)
{
	struct alloc_chain told;
	size_t n = 0, same = 0;

	unwind(v, tid, r->stack, &told);
	const uint32_t *places = nodes_chain(v->nodes, r->node, &n);
	bool reaches = told.truncated != CHAIN_UNREADABLE && end != CHAIN_TOO_DEEP;
	while (places && same < n && same < told.n && places[same] == told.frames[same])
		same++;
	bool right = places && (reaches ? same == n && same == told.n && end == told.truncated
					: same == n || same == told.n);
	if (reaches || !right)
		v->host->checked(v->host->ctx, !right);
}

/* 0, -ENOMEM, or -EINVAL: the program has damaged the agent's tree. */
static int find_chain(const struct events *v, const struct ring_record *r, pid_t tid,
		       struct alloc_chain *chain)
{
	uint32_t node;

	*chain = (struct alloc_chain){ .truncated = CHAIN_UNREADABLE };
	if (!r->node && r->stack)
		unwind(v, tid, r->stack, chain);
	if (!r->node)
		return 0;
	int err = nodes_find(v->nodes, r->node, &node, &chain->truncated);
	if (err)
		return err;
	chain->node = node;
	if (v->check && r->stack)
		check(v, r, tid, chain->truncated);
	return 0;
}

static enum alloc_call call_of(enum agent_kind kind)
{
	switch (kind) {
	case RECORD_CALLOC:
		return CALL_CALLOC;
	case RECORD_REALLOC:
	case RECORD_REALLOC_BEGIN:
		return CALL_REALLOC;
	case RECORD_FREE:
		return CALL_FREE;
	default:
		return CALL_MALLOC;
	}
}

/* Describe the end of a call that should give a block. False: the record makes no sense. */
static bool describe_end(const struct events *v, const struct ring_record *r, struct alloc_event *e)
{
	taddr old = has(r, WORD_OLD) ? r->word[WORD_OLD] : 0;

	e->size = r->size;
	e->ptr = r->pointer;
	e->old_ptr = old;
	e->sp = has(r, WORD_SP) ? r->word[WORD_SP] : 0;
	e->count = has(r, WORD_COUNT) ? r->word[WORD_COUNT] : 1;
	e->elem = has(r, WORD_ELEM) ? r->word[WORD_ELEM] : r->size;
	e->kind = !r->pointer ? AE_FAILED : old ? AE_REALLOC_MOVED : AE_ALLOC;
	if (r->pointer || r->kind != RECORD_REALLOC)
		return true;
	const struct engine_function *f =
		has(r, WORD_FUNCTION) ? function_of(v, r->word[WORD_FUNCTION]) : NULL;
	if (f)
		e->kind = probe_outcome(f->probe, r->size, r->size == UINT64_MAX, old, 0);
	return f;
}

void events_modules(struct events *v)
{
	memset(v->sites, 0, sizeof v->sites);
}

static bool ask_by_allocator(const struct events *v, const struct ring_record *r)
{
	const struct engine_function *f = function_of(v, r->function);

	return f && v->host->by_allocator(v->host->ctx, f->at, r->ret);
}

/* The allocator itself frees blocks that are in the cache of a thread that ends, and that the
 * program has freed long ago. */
static bool is_by_allocator(struct events *v, const struct ring_record *r)
{
	struct free_site *s = &v->sites[(r->ret ^ r->ret >> 9) % (sizeof v->sites / sizeof *s)];

	if (s->ret != r->ret || s->function != r->function || !s->ret)
		*s = (struct free_site){ r->ret, r->function, ask_by_allocator(v, r) };
	return s->by_allocator;
}

/* 0, -ENOMEM, or -EINVAL: the record makes no sense. */
static int describe(struct events *v, const struct ring_record *r, struct alloc_event *e)
{
	switch (r->kind) {
	case RECORD_FREE:
		e->kind = AE_FREE;
		e->ptr = r->pointer;
		e->sp = has(r, WORD_SP) ? r->word[WORD_SP] : 0;
		e->by_allocator = r->pointer && is_by_allocator(v, r);
		return 0;
	case RECORD_REALLOC_BEGIN:
		e->kind = AE_REALLOC_BEGIN;
		e->old_ptr = r->pointer;
		return r->pointer ? 0 : -EINVAL;
	case RECORD_ALLOC:
	case RECORD_CALLOC:
	case RECORD_REALLOC:
		return describe_end(v, r, e) ? find_chain(v, r, e->task, &e->chain) : -EINVAL;
	default:
		return -EINVAL;
	}
}

/* Field by field: to clear the whole struct, compilers use an instruction that takes as long as all
 * the rest. */
static void begin_event(struct alloc_event *e, enum alloc_call call, pid_t task)
{
	e->kind = AE_ALLOC;
	e->call = call;
	e->task = task;
	e->time_ns = e->until_ns = 0;
	e->ptr = e->old_ptr = e->sp = 0;
	e->size = e->count = e->elem = 0;
	e->label = LABEL_NONE;
	e->by_allocator = e->announced = false;
	e->chain = (struct alloc_chain){ 0 };
}

/* The block and the chain of a record that has not been checked yet. */
static struct alloc_expected expected(const struct events *v, const struct agent_record *r)
{
	struct alloc_expected x = { .ptr = r->lo >> RECORD_POINTER_SHIFT & RECORD_POINTER_MAX };

	switch (r->lo >> RECORD_KIND_SHIFT & RECORD_KIND_MASK) {
	case RECORD_ALLOC:
	case RECORD_CALLOC:
	case RECORD_REALLOC:
		x.size = r->hi >> RECORD_SIZE_SHIFT;
		x.node = nodes_known(v->nodes, r->hi & RECORD_NODE_MASK);
		return x;
	case RECORD_TIME:
	case RECORD_WORD:
		x.ptr = 0;
		return x;
	default:
		return x;
	}
}

bool events_expect(void *events, const struct agent_record *records, unsigned n)
{
	const struct events *v = events;
	struct alloc_expected x[64];
	unsigned most = sizeof x / sizeof *x;

	for (unsigned i = 0; i < n && i < most; i++)
		x[i] = expected(v, &records[i]);
	return v->host->expect(v->host->ctx, x, n < most ? n : most);
}

void events_take(void *events, const struct ring_record *r)
{
	struct events *v = events;
	struct alloc_event e;

	begin_event(&e, call_of(r->kind), task_of(v, r));
	if (is_nested(v, r, e.task, &e.label))
		return;
	int err = describe(v, r, &e);
	if (err) {
		v->lost++;
		v->damaged += err == -EINVAL;
		return;
	}
	place(v, r);
	e.time_ns = v->last_ns;
	e.until_ns = v->until_ns;
	v->host->event(v->host->ctx, &e);
	if (e.kind != AE_REALLOC_BACK && !(e.kind == AE_REALLOC_FREED && e.size))
		return;
	/* A realloc that got no memory: report the failed request, too. */
	e.kind = AE_FAILED;
	v->host->event(v->host->ctx, &e);
}
