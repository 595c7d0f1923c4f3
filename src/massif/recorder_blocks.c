/* SPDX-License-Identifier: BSD-2-Clause */
/* Heap blocks in Massif's account. */
#include "massif/recorder_internal.h"

/* The context of blocks counted by @leaf. */
static struct massif_context *context_of(struct massif_recorder *r, uint32_t leaf)
{
	return massif_context_at(r, r->profile->leaves[leaf].node);
}

static uint64_t charge_of(const struct massif_recorder *r, uint32_t leaf)
{
	uint64_t size = r->profile->leaves[leaf].size;

	return size + massif_extra(r->host->settings, size);
}

static void add(struct massif_recorder *r, struct massif_context *c, uint32_t leaf)
{
	uint64_t size = r->profile->leaves[leaf].size;

	c->bytes += size;
	r->now.useful += size;
	r->now.extra += massif_extra(r->host->settings, size);
	r->now.blocks++;
}

static void subtract(struct massif_recorder *r, struct massif_context *c, uint32_t leaf)
{
	uint64_t size = r->profile->leaves[leaf].size;

	c->bytes -= size;
	r->now.useful -= size;
	r->now.extra -= massif_extra(r->host->settings, size);
	r->now.blocks--;
}

static void allocate(struct massif_recorder *r, uint32_t leaf)
{
	struct massif_context *c = context_of(r, leaf);

	if (!c) {
		r->lost++;
		return;
	}
	if (c->ignored)
		return;
	add(r, c, leaf);
	r->now.churn += charge_of(r, leaf);
	massif_try_ordinary(r);
}

/* The context of a block that is freed or moves, counted by @leaf so far; NULL: it was not
 * counted. */
static struct massif_context *take_counted(struct massif_recorder *r, uint32_t leaf, taddr ptr)
{
	uint32_t node = r->profile->leaves[leaf].node;
	struct live_slot unused;

	/* No context: allocated before the recorder began, or not counted for lack of memory. */
	if (node >= r->cap_of_node || !r->of_node[node])
		return NULL;
	struct massif_context *c = &r->contexts[r->of_node[node] - 1];

	if (c->ignored || live_take(&r->ignored, ptr, &unused) ||
	    c->bytes < r->profile->leaves[leaf].size)
		return NULL;
	return c;
}

static void forget(struct massif_recorder *r, struct massif_context *c, uint32_t leaf)
{
	massif_try_peak(r);
	subtract(r, c, leaf);
	r->now.churn += charge_of(r, leaf);
	massif_try_ordinary(r);
}

static void release(struct massif_recorder *r, uint32_t leaf, taddr ptr)
{
	struct massif_context *c = take_counted(r, leaf, ptr);

	if (c)
		forget(r, c, leaf);
}

static void stay_ignored(struct massif_recorder *r, uint32_t leaf, taddr ptr)
{
	struct live_slot block = { .ptr = ptr, .leaf = leaf }, was;

	if (live_put(&r->ignored, &block, &was) < 0)
		r->lost++;
}

static void move(struct massif_recorder *r, struct massif_context *from, struct massif_context *to,
		 const struct block_change *c)
{
	uint64_t old = charge_of(r, c->old_leaf), new = charge_of(r, c->leaf);

	subtract(r, from, c->old_leaf);
	add(r, to, c->leaf);
	r->now.churn += new > old ? new - old : old - new;
	massif_try_ordinary(r);
}

static void resize(struct massif_recorder *r, const struct alloc_event *e,
		   const struct block_change *c)
{
	struct massif_context *from = take_counted(r, c->old_leaf, e->old_ptr), *to;
	bool counted = from,
	     shrinks = r->profile->leaves[c->leaf].size < r->profile->leaves[c->old_leaf].size;
	size_t number = counted ? (size_t)(from - r->contexts) : 0;

	/* Record a peak before the change. At this point the new context must not exist yet, if it
	 * is new. */
	if (counted && shrinks)
		massif_try_peak(r);
	to = context_of(r, c->leaf);
	r->lost += !to;
	from = &r->contexts[number]; /* the array of contexts may have moved */
	if (to && !to->ignored && counted)
		move(r, from, to, c);
	else if (counted)
		forget(r, from, c->old_leaf);
	else if (to && !to->ignored)
		stay_ignored(r, c->leaf, e->ptr);
}

void massif_count_blocks(struct massif_recorder *r, const struct alloc_event *e,
			 const struct block_change *c)
{
	if (c->replaced_leaf != PD_NONE)
		release(r, c->replaced_leaf, e->ptr);
	switch (c->kind) {
	case BLOCK_NEW:
		allocate(r, c->leaf);
		break;
	case BLOCK_GONE:
		release(r, c->old_leaf, e->kind == AE_FREE ? e->ptr : e->old_ptr);
		break;
	case BLOCK_RESIZED:
		resize(r, e, c);
		break;
	case BLOCK_NO_CHANGE:
		break;
	}
}
