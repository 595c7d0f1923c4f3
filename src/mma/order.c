/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/order.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

void mma_order_release(struct mma_order *o)
{
	free(o->pending);
	free(o->held);
	mma_firsts_release(&o->firsts);
	*o = (struct mma_order){ 0 };
}

int mma_order_begin(struct mma_order *o, int32_t task, uint64_t ptr)
{
	if (ARRAY_RESERVE(&o->pending, &o->cap_pending, o->n_pending))
		return -ENOMEM;
	o->pending[o->n_pending++] = (struct mma_pending){ task, ptr, o->turn++ };
	return 0;
}

static bool gives_block(const struct mma_entry *e)
{
	return e->type == MMA_MALLOC || e->type == MMA_CALLOC || e->type == MMA_REALLOC;
}

/* True if @x has to wait for one of @o->firsts, which all came before it. */
static bool has_to_wait(const struct mma_order *o, const struct mma_held *x)
{
	const struct mma_firsts *f = &o->firsts;

	/* Its old block was its own until it began: a later holder of that address got it by this
	 * call. */
	if (mma_firsts_of_block(f, x->e.ptr) != MMA_NO_TURN ||
	    mma_firsts_of_task(f, x->e.tid) < x->begin ||
	    mma_firsts_of_block(f, mma_old_block(&x->e)) < x->begin)
		return true;
	for (size_t i = 0; gives_block(&x->e) && x->e.ptr && i < o->n_pending; i++) {
		const struct mma_pending *p = &o->pending[i];

		/* A realloc that began after this call returned was called with this call's
		 * block. */
		if (p->ptr == x->e.ptr && p->turn != x->begin && p->turn < x->turn)
			return true;
	}
	return false;
}

static void forget_pending(struct mma_order *o, uint64_t turn)
{
	for (size_t i = 0; i < o->n_pending; i++) {
		if (o->pending[i].turn != turn)
			continue;
		o->pending[i] = o->pending[--o->n_pending];
		return;
	}
}

static void put(struct mma_order *o, const struct mma_held *h, const struct mma_sink *sink)
{
	if (h->begin != h->turn)
		forget_pending(o, h->begin);
	sink->put(sink->ctx, &h->e);
}

/* Write the entries that need not wait any longer; the others keep their order. True: some were
 * written. */
static bool release_some(struct mma_order *o, uint64_t now, const struct mma_sink *sink)
{
	size_t n = o->n_held, kept = 0;

	mma_firsts_clear(&o->firsts);
	for (size_t i = 0; i < n; i++) {
		struct mma_held h = o->held[i];

		if (has_to_wait(o, &h)) {
			mma_firsts_add(&o->firsts, &h.e, h.turn);
			o->held[kept++] = h;
			continue;
		}
		h.e.time_ns = now;
		put(o, &h, sink);
	}
	o->n_held = kept;
	return kept < n;
}

/* Each realloc that is written may release others, even some that returned before it. */
static void release_held(struct mma_order *o, uint64_t now, const struct mma_sink *sink)
{
	while (o->n_held && release_some(o, now, sink))
		;
}

static void give_up_oldest(struct mma_order *o, uint64_t now, const struct mma_sink *sink)
{
	size_t oldest = 0;

	for (size_t i = 1; i < o->n_pending; i++)
		if (o->pending[i].turn < o->pending[oldest].turn)
			oldest = i;
	if (o->n_pending)
		o->pending[oldest] = o->pending[--o->n_pending];
	release_held(o, now, sink);
}

static int hold(struct mma_order *o, const struct mma_held *h, const struct mma_sink *sink)
{
	if (ARRAY_RESERVE(&o->held, &o->cap_held, o->n_held) ||
	    mma_firsts_add(&o->firsts, &h->e, h->turn))
		return -ENOMEM;
	o->held[o->n_held++] = *h;
	if (o->n_held > MMA_ORDER_PATIENCE)
		give_up_oldest(o, h->e.time_ns, sink);
	return 0;
}

int mma_order_add(struct mma_order *o, const struct mma_entry *e, const struct mma_sink *sink)
{
	struct mma_held h = { *e, o->turn, o->turn };

	o->turn++;
	if (has_to_wait(o, &h))
		return hold(o, &h, sink);
	put(o, &h, sink);
	return 0;
}

/* The turn at which the realloc that has returned began; UINT64_MAX: it was given up. The latest
 * one, since a signal handler may have interrupted another realloc of the same block. */
static uint64_t began(const struct mma_order *o, int32_t task, uint64_t ptr)
{
	uint64_t turn = UINT64_MAX;

	for (size_t i = 0; i < o->n_pending; i++)
		if (o->pending[i].task == task && o->pending[i].ptr == ptr &&
		    (turn == UINT64_MAX || o->pending[i].turn > turn))
			turn = o->pending[i].turn;
	return turn;
}

int mma_order_end(struct mma_order *o, int32_t task, uint64_t ptr, const struct mma_entry *e,
		  uint64_t now, const struct mma_sink *sink)
{
	uint64_t begin = began(o, task, ptr);

	if (e) {
		struct mma_held h = { *e, o->turn, begin == UINT64_MAX ? o->turn : begin };

		o->turn++;
		if (has_to_wait(o, &h))
			return hold(o, &h, sink);
		put(o, &h, sink);
	} else {
		forget_pending(o, begin);
	}
	/* Otherwise nothing can have waited for it. */
	if (mma_firsts_of_block(&o->firsts, ptr) != MMA_NO_TURN)
		release_held(o, now, sink);
	return 0;
}

void mma_order_flush(struct mma_order *o, uint64_t now, const struct mma_sink *sink)
{
	/* First those that can still be written in order. */
	release_held(o, now, sink);
	o->n_pending = 0;
	release_held(o, now, sink);
}
