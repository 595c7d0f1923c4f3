/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/ring.h"

#include "arch/x86_64_agent.h"
#include "base/zeroed.h"

#include <stdlib.h>
#include <string.h>

/* Words of a thread whose record has not come yet. */
struct pending {
	uint32_t words;
	uint64_t word[AGENT_WORDS];
};

struct ring {
	struct agent_shared *shared;
	uint64_t at;	     /* the next position that is read */
	uint64_t told;	     /* what `tail` is */
	uint64_t ticks;	     /* the RECORD_TIME before the collected records ... */
	uint64_t until;	     /* ... and the one behind them, the last collected; 0: not read yet */
	uint32_t next, n;    /* of collected[]: the first not taken yet, and the end */
	ring_expect *expect; /* NULL: records are not announced */
	unsigned unasked;     /* batches that are not announced before they are taken */
	struct ring_counts counts;
	struct ring_record record; /* the one being taken; only those of its words are set that it
				      says there are */
	struct ring_stack stack;
	struct pending pending[AGENT_THREADS];
	/* Copies: each position is read once, and a record is taken when the RECORD_TIME behind it
	 * is known. That is put so often that there are hardly ever more than a few hundred. */
	struct agent_record collected[AGENT_RING];
};

enum {
	AHEAD = 32,   /* positions whose memory is fetched before they are read */
	BATCH = 32,   /* records that are announced before they are taken */
	UNASKED = 32, /* batches, after expect() has returned false */
};

/* A word that the program may change at any time is loaded once. */
#define LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)

struct ring *ring_new(struct agent_shared *shared)
{
	struct ring *r = zeroed_new(sizeof *r);

	if (r)
		r->shared = shared;
	return r;
}

void ring_free(struct ring *r)
{
	zeroed_free(r, sizeof *r);
}

uint64_t ring_position(const struct ring *r)
{
	return r->at - (r->n - r->next);
}

struct ring_counts ring_counts(const struct ring *r)
{
	return r->counts;
}

static void tell_tail(struct ring *r)
{
	__atomic_store_n(&r->shared->tail, r->at, __ATOMIC_RELEASE);
	r->told = r->at;
}

/* Copy the stack of @thread's WORD_STACK out of the shared memory. False: it has no such copy. */
static bool copy_stack(struct ring *r, uint32_t thread, uint64_t word)
{
	uint32_t number = (uint32_t)word, bytes = (uint32_t)(word >> 48) * 8;
	uint16_t turn = (uint16_t)(word >> 32);
	struct agent_stack *from;

	if (number >= AGENT_STACKS || bytes > AGENT_STACK_BYTES)
		return false;
	from = &r->shared->stacks[number];
	/* The thread may have left the agent by a longjmp right after it put the word, or does
	 * while we read: then the copy belongs to another thread. */
	const uint64_t claim = __atomic_load_n(&from->claim, __ATOMIC_ACQUIRE);
	if (claim_owner(claim) != thread + 1 || claim_turn(claim) != turn)
		return false;
	r->stack.pc = LOAD(from->pc);
	r->stack.sp = LOAD(from->sp);
	r->stack.fp = LOAD(from->fp);
	for (size_t i = 0; i < sizeof r->stack.saved / sizeof *r->stack.saved; i++)
		r->stack.saved[i] = LOAD(from->saved[i]);
	memcpy(r->stack.word, from->word, bytes);
	r->stack.bytes = bytes;
	return claim_change(from, claim, claim_given_back(claim));
}

/* Note a word of a record that is still to come. False: it makes no sense. */
static bool note_word(struct ring *r, uint64_t lo, uint64_t which, uint64_t value)
{
	uint32_t thread = lo & RECORD_THREAD_MASK;

	if (which >= AGENT_WORDS || thread >= AGENT_THREADS)
		return false;
	/* The first word of a record: discard any that a handler left behind by a longjmp. */
	if (!(lo & RECORD_WITH_WORDS))
		r->pending[thread].words = 0;
	r->pending[thread].words |= 1u << which;
	r->pending[thread].word[which] = value;
	return true;
}

/* Add the words that came before the record. False: it says that it has words, and none came. */
static bool add_words(struct ring *r, struct ring_record *rec)
{
	struct pending *p;

	if (rec->thread >= AGENT_THREADS || !r->pending[rec->thread].words)
		return false;
	p = &r->pending[rec->thread];
	rec->words = p->words;
	memcpy(rec->word, p->word, sizeof rec->word);
	p->words = 0;
	if (rec->words & 1u << WORD_POINTER)
		rec->pointer = rec->word[WORD_POINTER];
	if (rec->words & 1u << WORD_SIZE)
		rec->size = rec->word[WORD_SIZE];
	/* Without its stack the event still counts. */
	if (rec->words & 1u << WORD_STACK && copy_stack(r, rec->thread, rec->word[WORD_STACK]))
		rec->stack = &r->stack;
	else if (rec->words & 1u << WORD_STACK)
		r->counts.lost++;
	return true;
}

/* Decode the second half of a record. False: there is no such kind. */
static bool decode(struct ring_record *rec, uint64_t hi)
{
	switch (rec->kind) {
	case RECORD_ALLOC:
	case RECORD_CALLOC:
	case RECORD_REALLOC:
		rec->size = hi >> RECORD_SIZE_SHIFT;
		rec->node = hi & RECORD_NODE_MASK;
		return true;
	case RECORD_REALLOC_BEGIN:
		rec->function = (uint32_t)hi;
		return true;
	case RECORD_FREE:
		rec->function = (uint32_t)(hi >> RECORD_FUNCTION_SHIFT);
		rec->ret = hi & RECORD_RET_MASK;
		return true;
	default:
		return false;
	}
}

/* Not word[], which hardly any record uses. */
static void clear_record(struct ring_record *rec)
{
	rec->words = 0;
	rec->size = 0;
	rec->node = 0;
	rec->function = 0;
	rec->ret = 0;
	rec->stack = NULL;
}

static uint64_t kind_of(uint64_t lo)
{
	return lo >> RECORD_KIND_SHIFT & RECORD_KIND_MASK;
}

/* Take the record read from a position. False: it makes no sense. */
static bool take_one(struct ring *r, uint64_t lo, uint64_t hi, ring_take *take, void *ctx)
{
	enum agent_kind kind = (enum agent_kind)kind_of(lo);
	uint64_t pointer = lo >> RECORD_POINTER_SHIFT & RECORD_POINTER_MAX;

	if (!(lo & RECORD_SET))
		return false;
	if (kind == RECORD_TIME) {
		r->ticks = hi;
		return true;
	}
	if (kind == RECORD_WORD)
		return note_word(r, lo, pointer, hi);
	clear_record(&r->record);
	r->record.kind = kind;
	r->record.thread = lo & RECORD_THREAD_MASK;
	r->record.pointer = pointer;
	if (!decode(&r->record, hi) || (lo & RECORD_WITH_WORDS && !add_words(r, &r->record)))
		return false;
	r->record.ticks = r->ticks;
	r->counts.records++;
	r->counts.strangers += r->record.thread < AGENT_SPARES ||
			       r->record.thread == AGENT_NO_THREAD;
	r->counts.stacks += r->record.stack != NULL;
	take(ctx, &r->record);
	return true;
}

/* Has a record been put at @pos in this round? If not *@hi is what it has there: producers expect
 * the number of the round. */
static bool is_filled(const struct ring *r, uint64_t pos, uint64_t *lo, uint64_t *hi)
{
	const struct agent_record *slot = &r->shared->ring[pos % AGENT_RING];

	*lo = __atomic_load_n(&slot->lo, __ATOMIC_ACQUIRE);
	*hi = __atomic_load_n(&slot->hi, __ATOMIC_ACQUIRE);
	/* It may have been filled between the two. */
	if (!*lo && *hi != pos / AGENT_RING) {
		*lo = __atomic_load_n(&slot->lo, __ATOMIC_ACQUIRE);
		*hi = LOAD(slot->hi);
	}
	return *lo;
}

uint64_t ring_head(const struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->shared->head, __ATOMIC_ACQUIRE), lo, hi;

	if (head - r->at > AGENT_RING)
		head = r->at;
	/* The stored head may have been set back, or not advanced yet. */
	while (head - r->at < AGENT_RING && is_filled(r, head, &lo, &hi))
		head++;
	return head;
}

/* Make a position free for the next round. */
static void empty(struct agent_record *slot, uint64_t round)
{
	__atomic_store_n(&slot->hi, round + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->lo, 0, __ATOMIC_RELEASE);
}

void ring_look_ahead(struct ring *r, ring_expect *expect)
{
	r->expect = expect;
}

static bool is_time(const struct agent_record *v)
{
	return v->lo & RECORD_SET && kind_of(v->lo) == RECORD_TIME && v->hi;
}

/* Copy the records at the next positions, up to the next RECORD_TIME, and at most to @upto. */
static void collect(struct ring *r, uint64_t upto)
{
	uint64_t head = LOAD(r->shared->head), at = r->at;
	uint32_t n = r->n;
	bool found = false;

	/* Signed: positions wrap around. */
	while (!found && n < AGENT_RING && (int64_t)(upto - at) > 0) {
		struct agent_record *slot = &r->shared->ring[at % AGENT_RING];
		struct agent_record *copy = &r->collected[n];
		uint64_t round = at / AGENT_RING;

		/* Fetch it from the cache of the processor that wrote it, unless it is about to be
		 * written. */
		if ((int64_t)(head - at) > AHEAD)
			arch_expect_write(&r->shared->ring[(at + AHEAD) % AGENT_RING]);
		/* Stop at an empty position; skip a damaged one, which no thread would ever
		 * fill. */
		if (!is_filled(r, at, &copy->lo, &copy->hi) && copy->hi == round)
			break;
		empty(slot, round);
		found = is_time(copy);
		n++;
		at++;
	}
	r->until = found ? r->collected[n - 1].hi : 0;
	r->n = n;
	r->at = at;
}

static void look_at(struct ring *r, const struct agent_record *v, unsigned n, void *ctx)
{
	if (r->unasked)
		r->unasked--;
	else if (r->expect && !r->expect(ctx, v, n))
		r->unasked = UNASKED;
}

/* How many of the collected records before @end make the next batch; 0: there are none. */
static unsigned batch(const struct ring *r, uint64_t end)
{
	uint64_t n = r->n - r->next;
	int64_t before = (int64_t)(end - ring_position(r));

	if (before <= 0)
		return 0;
	if (n > (uint64_t)before)
		n = (uint64_t)before;
	return n < BATCH ? (unsigned)n : BATCH;
}

static void take_batch(struct ring *r, unsigned n, ring_take *take, void *ctx)
{
	const struct agent_record *v = &r->collected[r->next];

	look_at(r, v, n, ctx);
	r->record.until_ticks = r->until;
	for (unsigned i = 0; i < n; i++)
		if (!take_one(r, v[i].lo, v[i].hi, take, ctx))
			r->counts.lost++;
	r->next += n;
	if (r->next < r->n)
		return;
	r->next = r->n = 0;
	r->until = 0;
}

uint64_t ring_drain(struct ring *r, uint64_t most, uint64_t upto, ring_take *take, void *ctx)
{
	uint64_t start = ring_position(r), end;
	unsigned n;

	/* At most one round, even if records are put without end. */
	if (most > AGENT_RING)
		most = AGENT_RING;
	if (upto == UINT64_MAX)
		upto = start + AGENT_RING;
	end = (int64_t)(upto - start - most) > 0 ? start + most : upto;
	do {
		if (!r->until)
			collect(r, upto);
		if (r->at - r->told >= AGENT_RING / 8)
			tell_tail(r);
		n = batch(r, end);
		if (n)
			take_batch(r, n, take, ctx);
	} while (n);
	tell_tail(r);
	return ring_position(r) - start;
}

size_t ring_waiting(const struct ring *r, uint32_t *threads, size_t max)
{
	size_t n = 0;

	for (uint32_t i = 0; i <= AGENT_NO_THREAD; i++) {
		if (!LOAD(r->shared->waiting[i]))
			continue;
		if (n < max)
			threads[n] = i;
		n++;
	}
	return n;
}
