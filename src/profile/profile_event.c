/* SPDX-License-Identifier: BSD-2-Clause */
/* What an event does to a profile: blocks come and go, and are counted at their leaves. */
#include "profile/profile_internal.h"

#include "base/array.h"
#include "profile/size_filter.h"

#include <errno.h>

/* To be called before a leaf's counts change. */
static void note_peak(const struct profile *p, struct call_leaf *l)
{
	if (l->epoch == p->epoch)
		return;
	l->at_peak = l->allocs - l->frees;
	l->epoch = p->epoch;
}

uint64_t profile_leaf_at_peak(const struct profile *p, const struct call_leaf *l)
{
	return l->epoch == p->epoch ? l->at_peak : l->allocs - l->frees;
}

static bool is_own(const struct live_slot *block, bool known)
{
	return known && !(block->leaf & (LEAF_INHERITED | LIVE_MISSED));
}

/* Is it a block that has been counted as gone already? */
static bool is_missed(const struct live_slot *block, bool known)
{
	return known && (block->leaf & (LEAF_INHERITED | LIVE_MISSED)) == LIVE_MISSED;
}

/* Is it a block whose end the recorders know already? A child's blocks are copies of its parent's:
 * what was told of these before the fork holds for both. */
static bool has_been_told(const struct live_slot *block, bool known)
{
	return known && block->leaf & LIVE_MISSED;
}

static void count_gone(struct profile *p, const struct live_slot *block)
{
	struct call_leaf *l = &p->leaves[profile_leaf_number(block)];

	note_peak(p, l);
	windows_death(&p->windows, l->site, l->size);
	l->frees++;
	p->totals.frees++;
	p->totals.free_bytes += l->size;
	p->live_bytes -= l->size;
}

static uint64_t load_now(const struct profile *p)
{
	return p->live_bytes + p->load.missed_bytes;
}

/* A block that was missed in a pause has certainly gone: it leaves the load. */
static void leave_load(struct profile *p, const struct live_slot *block)
{
	p->load.missed--;
	p->load.missed_bytes -= p->leaves[profile_leaf_number(block)].size;
}

static void count_free(struct profile *p, const struct live_slot *block, bool known)
{
	if (is_own(block, known)) {
		count_gone(p, block);
	} else if (is_missed(block, known)) {
		p->totals.missed--;
		p->totals.missed_bytes -= p->leaves[profile_leaf_number(block)].size;
		leave_load(p, block);
	} else if (!known && p->had_pause) {
		p->totals.paused_frees++;
	} else {
		p->totals.unknown_frees++;
		p->totals.inherited_frees += known;
	}
}

/* A block from before is freed, and the free was seen. */
static void end_before(struct profile *p, taddr key)
{
	before_held_freed(&p->before, key);
	p->totals.before_frees++;
}

/* Counts a free that was seen. */
static int count_death(struct profile *p, const struct live_slot *block, bool known,
		       const struct alloc_event *e)
{
	p->lifetimes.events++;
	if (!is_own(block, known))
		return 0;
	const struct call_leaf *l = &p->leaves[profile_leaf_number(block)];
	struct thread_counts *did = lifetimes_of_task(&p->lifetimes, e->task);

	if (!did || marks_gone(&p->marks, block, e->time_ns))
		return -ENOMEM;
	uint64_t until = e->until_ns > e->time_ns ? e->until_ns : e->time_ns;
	int err = p->spared.lifetimes ? 0 : lifetimes_death(&p->lifetimes, l->node, block, until);
	if (!err) {
		did->frees++;
		did->free_bytes += l->size;
	}
	return err;
}

static void count_chain_end(struct pd_totals *t, enum chain_end end)
{
	t->truncated_chains += end != CHAIN_WHOLE;
	t->truncated_no_cfi += end == CHAIN_NO_CFI;
	t->truncated_unreadable += end == CHAIN_UNREADABLE;
	t->truncated_too_deep += end == CHAIN_TOO_DEEP;
	t->truncated_cut += end == CHAIN_CUT;
}

/* Sets @c: the block has gone. Nothing if it was not known, or its end has been told. */
static void tell_gone(struct block_change *c, const struct live_slot *block, bool known)
{
	if (!known || has_been_told(block, known))
		return;
	c->kind = BLOCK_GONE;
	c->old_leaf = profile_leaf_number(block);
	c->old_inherited = block->leaf & LEAF_INHERITED;
}

/* To be called after lifetimes_bear() for the thread, which cannot fail then. */
static void count_thread_alloc(struct lifetimes *l, const struct alloc_event *e)
{
	struct thread_counts *did = lifetimes_of_task(l, e->task);

	if (did) {
		did->allocs++;
		did->alloc_bytes += e->size;
	}
}

static int count_alloc(struct profile *p, const struct alloc_event *e, struct block_change *c)
{
	const struct alloc_chain chain = profile_cut(p, &e->chain);
	uint32_t node = profile_node_of_chain(p, &chain);
	uint32_t leaf = node == IDINDEX_NONE ? node : profile_leaf_of(p, node, e);
	const taddr key = block_key(e, e->ptr);
	bool known;

	/* Everything that allocates memory comes before anything is counted. */
	if (leaf == IDINDEX_NONE || lifetimes_bear(&p->lifetimes, &p->live, e->task, key))
		return -ENOMEM;
	struct live_slot *block = live_add(&p->live, key, &known);
	if (!block)
		return -ENOMEM;
	/* The address was returned twice: no free was seen (a thread was killed in free()). */
	if (known && !has_been_told(block, known)) {
		c->replaced_leaf = profile_leaf_number(block);
		c->replaced_inherited = block->leaf & LEAF_INHERITED;
		if (!c->replaced_inherited)
			count_free(p, block, true);
	} else if (is_missed(block, known)) {
		leave_load(p, block);
		p->load.replaced++;
	}
	before_reuse(&p->before, key);
	lifetimes_birth(&p->lifetimes, block, leaf, e->time_ns);
	c->kind = BLOCK_NEW;
	c->leaf = leaf;
	note_peak(p, &p->leaves[leaf]);
	windows_birth(&p->windows, p->leaves[leaf].site, e->size);
	p->leaves[leaf].allocs++;
	p->totals.allocs++;
	p->totals.alloc_bytes += e->size;
	count_thread_alloc(&p->lifetimes, e);
	count_chain_end(&p->totals, chain.truncated);
	p->live_bytes += e->size;
	if (p->live_bytes > p->totals.peak_bytes) {
		p->totals.peak_bytes = p->live_bytes;
		p->epoch++;
		p->series.peak_ns = p->load.end_ns;
		p->series.peak_allocs = p->totals.allocs;
	}
	if (load_now(p) > p->load.max)
		p->load.max = load_now(p);
	return 0;
}

static int event_alloc(struct profile *p, const struct alloc_event *e, struct block_change *c)
{
	p->lifetimes.events++;
	return count_alloc(p, e, c);
}

static int event_free(struct profile *p, const struct alloc_event *e, struct block_change *c)
{
	struct live_slot block = { 0 };

	if (!e->ptr)
		return 0;
	bool known = live_take(&p->live, block_key(e, e->ptr), &block);
	if (!known && before_hold(&p->before, block_key(e, e->ptr))) {
		p->lifetimes.events++;
		end_before(p, block_key(e, e->ptr));
		return 0;
	}
	if (!known && e->by_allocator)
		return 0;
	int err = count_death(p, &block, known, e);
	if (err) {
		/* As if the free had not been seen; there is room, as the block was here just
		 * now. */
		live_put(&p->live, &block, &block);
		return err;
	}
	/* In a log a missed block is still live, so its free by the allocator is an entry there. */
	p->load.frees += e->by_allocator && is_missed(&block, known);
	count_free(p, &block, known);
	tell_gone(c, &block, known);
	return 0;
}

/* ---- realloc ---- */

static int realloc_begin(struct profile *p, const struct alloc_event *e)
{
	struct taken_block b = { .block = { .ptr = block_key(e, e->old_ptr) }, .task = e->task };

	if (ARRAY_RESERVE(&p->taken, &p->cap_taken, p->n_taken))
		return -ENOMEM;
	b.known = live_take(&p->live, b.block.ptr, &b.block);
	b.before = !b.known && before_hold(&p->before, b.block.ptr);
	p->taken[p->n_taken++] = b;
	return 0;
}

/* Takes the block that this task's realloc holds; the last one if there are several. */
static bool taken_end(struct profile *p, const struct alloc_event *e, struct taken_block *b)
{
	for (size_t i = p->n_taken; i-- > 0;) {
		if (p->taken[i].task != e->task ||
		    p->taken[i].block.ptr != block_key(e, e->old_ptr))
			continue;
		*b = p->taken[i];
		p->taken[i] = p->taken[--p->n_taken];
		return true;
	}
	return false;
}

/* A block that a realloc held is still there. If its address has been returned again (the call was
 * abandoned after it had moved the block), it has been freed after all. */
static int put_back(struct profile *p, const struct taken_block *b, struct block_change *c)
{
	struct live_slot block = b->block, now, was;

	if (b->before && live_knows(&p->live, block.ptr))
		end_before(p, block.ptr);
	else if (b->before)
		before_held_stays(&p->before, block.ptr);
	if (!b->known)
		return 0;
	lifetimes_back(&p->lifetimes, &block);
	int again = live_put(&p->live, &block, &now);
	if (again <= 0)
		return again;
	again = live_put(&p->live, &now, &was);
	if (again < 0)
		return again;
	count_free(p, &b->block, true);
	tell_gone(c, &b->block, true);
	return 0;
}

static int realloc_end(struct profile *p, const struct alloc_event *e, struct block_change *c)
{
	struct taken_block b = { 0 };

	if (!taken_end(p, e, &b)) {
		b.block.ptr = block_key(e, e->old_ptr);
		b.before = before_hold(&p->before, b.block.ptr);
	}
	if (e->kind == AE_REALLOC_BACK)
		return put_back(p, &b, c);
	int err = count_death(p, &b.block, b.known, e);
	if (err) {
		put_back(p, &b, c);
		return err;
	}
	uint32_t leaf = profile_leaf_number(&b.block);
	uint32_t site = is_own(&b.block, b.known) ? p->leaves[leaf].site : PD_NONE;
	struct windows_low low = { 0 };

	if (site != PD_NONE)
		low = windows_low(&p->windows, site);
	if (b.before)
		end_before(p, b.block.ptr);
	else
		count_free(p, &b.block, b.known);
	tell_gone(c, &b.block, b.known);
	if (e->kind == AE_REALLOC_FREED)
		return 0;
	err = count_alloc(p, e, c);
	if (!err && b.known && !has_been_told(&b.block, b.known))
		c->kind = BLOCK_RESIZED;
	if (!err && site != PD_NONE)
		windows_lift(&p->windows, site, low);
	return err;
}

/* ---- any event ---- */

/* Adds the time up to @now, in which @bytes were live, to the load. */
static void pass_time(struct pd_load *l, uint64_t now, uint64_t bytes)
{
	if (!l->begin_ns)
		l->begin_ns = l->end_ns = now;
	if (now <= l->end_ns)
		return;
	unsigned __int128 total = (unsigned __int128)l->total_high << 64 | l->total_low;

	total += (unsigned __int128)bytes * (now - l->end_ns);
	l->total_high = (uint64_t)(total >> 64);
	l->total_low = (uint64_t)total;
	l->end_ns = now;
}

void profile_stamp(struct profile *p, uint64_t time_ns)
{
	pass_time(&p->load, time_ns, load_now(p));
	windows_pass(&p->windows, time_ns);
	p->load.stamps++;
	profile_series_pass(p);
}

/* Counts a call that is an entry of an event log. */
static void count_call(struct profile *p, const struct alloc_event *e, const struct block_change *c)
{
	uint64_t *const calls[] = {
		[CALL_MALLOC] = &p->load.mallocs,
		[CALL_CALLOC] = &p->load.callocs,
		[CALL_REALLOC] = &p->load.reallocs,
		[CALL_FREE] = &p->load.frees,
	};

	/* A realloc is one call, counted at its end; a failed one, at AE_FAILED. */
	if (e->kind == AE_REALLOC_BEGIN || e->kind == AE_REALLOC_BACK)
		return;
	if (e->kind == AE_FREE && e->by_allocator && c->kind == BLOCK_NO_CHANGE)
		return;
	++*calls[e->call];
	p->load.replaced += c->replaced_leaf != PD_NONE && !c->replaced_inherited;
}

static int count_event(struct profile *p, const struct alloc_event *e, struct block_change *c)
{
	*c = (struct block_change){ .leaf = PD_NONE,
				    .old_leaf = PD_NONE,
				    .replaced_leaf = PD_NONE };
	switch (e->kind) {
	case AE_ALLOC:
		return event_alloc(p, e, c);
	case AE_FREE:
		return event_free(p, e, c);
	case AE_REALLOC_BEGIN:
		return realloc_begin(p, e);
	case AE_REALLOC_MOVED:
	case AE_REALLOC_FREED:
	case AE_REALLOC_BACK:
		return realloc_end(p, e, c);
	case AE_FAILED:
		p->totals.failed_allocs++;
		return 0;
	}
	return 0;
}

int profile_event(struct profile *p, const struct alloc_event *e, struct block_change *c)
{
	profile_series_before(p, e->kind);
	pass_time(&p->load, e->time_ns, load_now(p));
	windows_pass(&p->windows, e->time_ns);
	int err = count_event(p, e, c);
	if (!err)
		count_call(p, e, c);
	profile_series_pass(p);
	return err;
}

/* ---- a pause ---- */

/* Counts a live block as gone. False: it is not ours, or has been counted so before. */
static bool miss(struct profile *p, struct live_slot *block, struct block_change *c)
{
	if (!is_own(block, true))
		return false;
	*c = (struct block_change){ .leaf = PD_NONE, .old_leaf = PD_NONE,
				    .replaced_leaf = PD_NONE };
	tell_gone(c, block, true);
	count_gone(p, block);
	p->totals.missed++;
	p->totals.missed_bytes += p->leaves[c->old_leaf].size;
	p->load.missed++;
	p->load.missed_bytes += p->leaves[c->old_leaf].size;
	block->leaf = (block->leaf | LIVE_MISSED) & ~(LIVE_LATEST | LIVE_REACHED);
	return true;
}

void profile_miss(struct profile *p, uint64_t now_ns,
		  void (*tell)(void *ctx, const struct alloc_event *e,
			       const struct block_change *c), void *ctx)
{
	const struct addrtable *t = &p->live.table;
	struct live_slot *slots = t->slots;
	struct alloc_event e = { .kind = AE_FREE, .call = CALL_FREE, .time_ns = now_ns };
	struct block_change c;

	pass_time(&p->load, now_ns, load_now(p));
	windows_pass(&p->windows, now_ns);
	p->had_pause = true;
	for (size_t i = 0; slots && i <= t->mask; i++) {
		block_of_key(&e, slots[i].ptr);
		if (slots[i].ptr && miss(p, &slots[i], &c) && tell)
			tell(ctx, &e, &c);
	}
	for (size_t i = 0; i < p->n_taken; i++) {
		block_of_key(&e, p->taken[i].block.ptr);
		if (p->taken[i].known && miss(p, &p->taken[i].block, &c) && tell)
			tell(ctx, &e, &c);
	}
}
