/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

#include "base/array.h"
#include "profile/size_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool place_eq(const void *owner, uint32_t id, const void *key)
{
	const struct profile_place *a = &((const struct profile *)owner)->places[id], *b = key;

	return a->address == b->address && a->module == b->module && a->exact == b->exact &&
	       a->guessed == b->guessed;
}

static uint64_t place_hash(const struct profile_place *a)
{
	return hash_mix(a->address ^ (uint64_t)a->module << 48 ^ (uint64_t)a->exact << 63 ^
			(uint64_t)a->guessed << 62);
}

static uint64_t place_rehash(const void *owner, uint32_t id)
{
	return place_hash(&((const struct profile *)owner)->places[id]);
}

static bool node_eq(const void *owner, uint32_t id, const void *key)
{
	const struct call_node *a = &((const struct profile *)owner)->nodes[id], *b = key;

	return a->parent == b->parent && a->frame == b->frame;
}

static uint64_t node_hash(const struct call_node *a)
{
	return hash_mix((uint64_t)a->parent << 32 | a->frame);
}

static uint64_t node_rehash(const void *owner, uint32_t id)
{
	return node_hash(&((const struct profile *)owner)->nodes[id]);
}

static bool leaf_eq(const void *owner, uint32_t id, const void *key)
{
	const struct call_leaf *a = &((const struct profile *)owner)->leaves[id], *b = key;

	return a->node == b->node && a->size == b->size && a->label == b->label;
}

static uint64_t leaf_hash(const struct call_leaf *a)
{
	return hash_mix(hash_mix(a->size) + ((uint64_t)a->label << 32 | a->node));
}

static uint64_t leaf_rehash(const void *owner, uint32_t id)
{
	return leaf_hash(&((const struct profile *)owner)->leaves[id]);
}

uint32_t profile_frame(struct profile *p, const struct profile_place *place)
{
	uint64_t hash = place_hash(place);
	uint32_t id = idindex_find(&p->place_index, hash, place_eq, p, place);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)p->n_places;
	if (ARRAY_RESERVE(&p->places, &p->cap_places, p->n_places) ||
	    idindex_add(&p->place_index, id, hash, place_rehash, p))
		return IDINDEX_NONE;
	p->places[p->n_places++] = *place;
	return id;
}

uint32_t profile_node_below(struct profile *p, uint32_t parent, uint32_t frame)
{
	struct call_node key = { .parent = parent, .frame = frame };
	uint64_t hash = node_hash(&key);
	uint32_t id = idindex_find(&p->node_index, hash, node_eq, p, &key);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)p->n_nodes;
	if (ARRAY_RESERVE(&p->nodes, &p->cap_nodes, p->n_nodes) ||
	    idindex_add(&p->node_index, id, hash, node_rehash, p))
		return IDINDEX_NONE;
	p->nodes[p->n_nodes++] = key;
	return id;
}

static uint32_t leaf_at(struct profile *p, uint32_t node, const struct alloc_event *e)
{
	struct call_leaf key = { .node = node, .size = e->size, .label = (uint8_t)e->label };
	uint64_t hash = leaf_hash(&key);
	uint32_t id = idindex_find(&p->leaf_index, hash, leaf_eq, p, &key);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)p->n_leaves;
	if (id >= LEAF_INHERITED)
		return IDINDEX_NONE;
	if (ARRAY_RESERVE(&p->leaves, &p->cap_leaves, p->n_leaves) ||
	    idindex_add(&p->leaf_index, id, hash, leaf_rehash, p))
		return IDINDEX_NONE;
	p->leaves[p->n_leaves++] = key;
	return id;
}

/*
 * Note how much of the last request's chain this one, at @node, repeats; what CC of the prolog
 * tells. The innermost elements are not compared. A node has a higher number than its parent, so of
 * two that differ the higher one is no ancestor of the other, and climbs until they meet.
 */
static void count_resumed(struct profile *p, uint32_t node)
{
	uint32_t last = p->last, meet = node;

	p->last = node;
	if (last == PD_NONE || last < PD_FIRST_NODE || node < PD_FIRST_NODE)
		return;
	last = p->nodes[last].parent;
	meet = p->nodes[meet].parent;
	while (meet != last) {
		uint32_t *higher = meet > last ? &meet : &last;

		*higher = p->nodes[*higher].parent;
		if (*higher == PD_NONE)
			return; /* one was whole and the other was not */
	}
	p->nodes[meet].resumed++;
}

/*
 * The node of a chain. Most of a chain is that of the one before it (Zorn and Hilfinger saw 60 to
 * 75%), so only what differs is looked up.
 */
static uint32_t walk_chain(struct profile *p, const struct alloc_chain *c)
{
	uint32_t root = c->truncated ? PD_ROOT_TRUNCATED : PD_ROOT_WHOLE, node = root;
	size_t same = 0;

	if (p->walked_root == root)
		while (same < c->n && same < p->n_walked &&
		       p->walked[same].frame == c->frames[c->n - 1 - same])
			same++;
	if (same)
		node = p->walked[same - 1].node;
	p->n_walked = same;
	p->walked_root = root;
	for (size_t i = same; i < c->n; i++) {
		uint32_t frame = c->frames[c->n - 1 - i];

		node = profile_node_below(p, node, frame);
		if (node == IDINDEX_NONE || ARRAY_RESERVE(&p->walked, &p->cap_walked, p->n_walked))
			return IDINDEX_NONE;
		p->walked[p->n_walked++] = (struct chain_step){ frame, node };
	}
	return node;
}

static uint32_t node_of_chain(struct profile *p, const struct alloc_chain *c)
{
	uint32_t node = c->node ? c->node : walk_chain(p, c);

	if (node != IDINDEX_NONE)
		count_resumed(p, node);
	return node;
}

size_t profile_chain_of(const struct profile *p, uint32_t node, uint32_t *frames, size_t max)
{
	size_t n = 0;

	for (; node >= PD_FIRST_NODE; node = p->nodes[node].parent, n++)
		if (n < max)
			frames[n] = p->nodes[node].frame;
	return n;
}

uint32_t profile_chain_node(struct profile *p, const struct alloc_chain *c)
{
	uint32_t node = c->truncated ? PD_ROOT_TRUNCATED : PD_ROOT_WHOLE;

	for (size_t i = c->n; i-- > 0 && node != IDINDEX_NONE;)
		node = profile_node_below(p, node, c->frames[i]);
	return node;
}

/* Before a leaf's counts change. */
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
	return known && !(block->leaf & LEAF_INHERITED);
}

static void count_free(struct profile *p, const struct live_slot *block, bool known)
{
	if (!is_own(block, known)) {
		p->totals.unknown_frees++;
		p->totals.inherited_frees += known;
		return;
	}
	struct call_leaf *l = &p->leaves[block->leaf];

	note_peak(p, l);
	l->frees++;
	p->totals.frees++;
	p->totals.free_bytes += l->size;
	p->live_bytes -= l->size;
}

/* A free that was seen, of a block that was @last_of a thread, as lifetimes_take_last() told. */
static int count_death(struct profile *p, const struct live_slot *block, bool known,
		       uint32_t last_of, uint64_t now_ns)
{
	p->lifetimes.events++;
	if (!is_own(block, known))
		return 0;
	return lifetimes_death(&p->lifetimes, p->leaves[block->leaf].node, block, now_ns,
			       last_of != PD_NONE);
}

static void count_chain_end(struct pd_totals *t, enum chain_end end)
{
	t->truncated_chains += end != CHAIN_WHOLE;
	t->truncated_no_cfi += end == CHAIN_NO_CFI;
	t->truncated_unreadable += end == CHAIN_UNREADABLE;
	t->truncated_too_deep += end == CHAIN_TOO_DEEP;
}

/* A block has gone, as @c tells; nothing if it was not known. */
static void tell_gone(struct block_change *c, uint32_t leaf, bool known)
{
	if (!known)
		return;
	c->kind = BLOCK_GONE;
	c->old_leaf = leaf & ~LEAF_INHERITED;
	c->old_inherited = leaf & LEAF_INHERITED;
}

static int count_alloc(struct profile *p, const struct alloc_event *e, struct block_change *c)
{
	uint32_t node = node_of_chain(p, &e->chain);
	uint32_t leaf = node == IDINDEX_NONE ? node : leaf_at(p, node, e);
	struct live_slot block = { .ptr = block_key(e, e->ptr), .leaf = leaf }, was;

	if (leaf == IDINDEX_NONE)
		return -ENOMEM;
	lifetimes_birth(&p->lifetimes, &block, e->time_ns);
	int known = live_put(&p->live, &block, &was);
	if (known < 0)
		return known;
	lifetimes_take_last(&p->lifetimes, block.ptr);
	/* Handed out twice: the free between was not to be seen (a thread that died in free()). */
	if (known) {
		c->replaced_leaf = was.leaf & ~LEAF_INHERITED;
		c->replaced_inherited = was.leaf & LEAF_INHERITED;
		if (!c->replaced_inherited)
			count_free(p, &was, true);
	}
	c->kind = BLOCK_NEW;
	c->leaf = leaf;
	note_peak(p, &p->leaves[leaf]);
	p->leaves[leaf].allocs++;
	p->totals.allocs++;
	p->totals.alloc_bytes += e->size;
	count_chain_end(&p->totals, e->chain.truncated);
	p->live_bytes += e->size;
	if (p->live_bytes > p->totals.peak_bytes) {
		p->totals.peak_bytes = p->live_bytes;
		p->epoch++;
	}
	return lifetimes_allocated(&p->lifetimes, e->task, block.ptr);
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
	if (!known && e->by_allocator)
		return 0;
	count_free(p, &block, known);
	tell_gone(c, block.leaf, known);
	return count_death(p, &block, known,
			   lifetimes_take_last(&p->lifetimes, block_key(e, e->ptr)), e->time_ns);
}

static int realloc_begin(struct profile *p, const struct alloc_event *e)
{
	struct taken_block b = { .block = { .ptr = block_key(e, e->old_ptr) }, .task = e->task };

	if (ARRAY_RESERVE(&p->taken, &p->cap_taken, p->n_taken))
		return -ENOMEM;
	b.known = live_take(&p->live, b.block.ptr, &b.block);
	b.last_of = lifetimes_take_last(&p->lifetimes, b.block.ptr);
	p->taken[p->n_taken++] = b;
	return 0;
}

/* The block that this task's realloc holds; what is held last ends first. */
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

/* A block that a realloc held is still there; or, if its address has been handed out again by now
 * (the call was abandoned when it had moved the block already), has been freed after all. */
static int put_back(struct profile *p, const struct taken_block *b, struct block_change *c)
{
	struct live_slot now, was;

	if (!b->known)
		return 0;
	int again = live_put(&p->live, &b->block, &now);
	if (again == 0)
		return lifetimes_back(&p->lifetimes, b->last_of, b->block.ptr);
	if (again < 0)
		return again;
	again = live_put(&p->live, &now, &was);
	if (again < 0)
		return again;
	count_free(p, &b->block, true);
	tell_gone(c, b->block.leaf, true);
	return 0;
}

static int realloc_end(struct profile *p, const struct alloc_event *e, struct block_change *c)
{
	struct taken_block b = { .last_of = PD_NONE };

	taken_end(p, e, &b);
	if (e->kind == AE_REALLOC_BACK)
		return put_back(p, &b, c);
	count_free(p, &b.block, b.known);
	tell_gone(c, b.block.leaf, b.known);
	int err = count_death(p, &b.block, b.known, b.last_of, e->time_ns);
	if (err || e->kind == AE_REALLOC_FREED)
		return err;
	err = count_alloc(p, e, c);
	if (!err && b.known)
		c->kind = BLOCK_RESIZED;
	return err;
}

/* The stretch up to @now counts with the live bytes there have been. */
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
	pass_time(&p->load, time_ns, p->live_bytes);
	p->load.stamps++;
}

/* A call that is an entry of a log. */
static void count_call(struct profile *p, const struct alloc_event *e, const struct block_change *c)
{
	uint64_t *const calls[] = {
		[CALL_MALLOC] = &p->load.mallocs,
		[CALL_CALLOC] = &p->load.callocs,
		[CALL_REALLOC] = &p->load.reallocs,
		[CALL_FREE] = &p->load.frees,
	};

	/* A realloc is one call, told of by its end; if it failed, by that. */
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
	pass_time(&p->load, e->time_ns, p->live_bytes);
	int err = count_event(p, e, c);
	if (!err)
		count_call(p, e, c);
	return err;
}

static int add_roots(struct profile *p)
{
	p->walked_root = p->last = PD_NONE;
	p->epoch = 1;
	for (unsigned i = 0; i < PD_FIRST_NODE; i++) {
		if (ARRAY_RESERVE(&p->nodes, &p->cap_nodes, p->n_nodes))
			return -ENOMEM;
		p->nodes[p->n_nodes++] = (struct call_node){ .parent = PD_NONE, .frame = PD_NONE };
	}
	return 0;
}

struct profile *profile_new(void)
{
	struct profile *p = calloc(1, sizeof *p);

	if (p && add_roots(p)) {
		profile_free(p);
		return NULL;
	}
	return p;
}

/* A copy of @n elements; *to is NULL if there are none. */
static int copy_array(void *to, const void *from, size_t n, size_t size)
{
	void *copy = n ? malloc(n * size) : NULL;

	if (n && !copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, from, n * size);
	memcpy(to, &copy, sizeof copy);
	return 0;
}

static void forget_counts(struct profile *p)
{
	for (size_t i = 0; i < p->n_nodes; i++)
		p->nodes[i].resumed = 0;
	for (size_t i = 0; i < p->n_leaves; i++)
		p->leaves[i] = (struct call_leaf){ .node = p->leaves[i].node,
						   .size = p->leaves[i].size,
						   .label = p->leaves[i].label };
	p->epoch = 1;
}

void profile_restart(struct profile *p)
{
	forget_counts(p);
	live_release(&p->live);
	lifetimes_release(&p->lifetimes);
	p->n_taken = p->n_walked = 0;
	p->walked_root = p->last = PD_NONE;
	p->totals = (struct pd_totals){ 0 };
	p->load = (struct pd_load){ 0 };
	p->live_bytes = 0;
}

static int copy_tree(struct profile *p, const struct profile *from)
{
	if (copy_array(&p->places, from->places, from->n_places, sizeof *p->places) ||
	    copy_array(&p->nodes, from->nodes, from->n_nodes, sizeof *p->nodes) ||
	    copy_array(&p->leaves, from->leaves, from->n_leaves, sizeof *p->leaves) ||
	    idindex_copy(&p->place_index, &from->place_index) ||
	    idindex_copy(&p->node_index, &from->node_index) ||
	    idindex_copy(&p->leaf_index, &from->leaf_index))
		return -ENOMEM;
	p->n_places = p->cap_places = from->n_places;
	p->n_nodes = p->cap_nodes = from->n_nodes;
	p->n_leaves = p->cap_leaves = from->n_leaves;
	forget_counts(p);
	return 0;
}

struct profile *profile_fork(const struct profile *parent)
{
	struct profile *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->walked_root = p->last = PD_NONE;
	if (!copy_tree(p, parent) && !live_copy(&p->live, &parent->live, LEAF_INHERITED))
		return p;
	profile_free(p);
	return NULL;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	free(p->places);
	idindex_release(&p->place_index);
	free(p->nodes);
	idindex_release(&p->node_index);
	free(p->leaves);
	idindex_release(&p->leaf_index);
	live_release(&p->live);
	lifetimes_release(&p->lifetimes);
	free(p->taken);
	free(p->walked);
	free(p);
}

static size_t index_bytes(const struct idindex *x)
{
	return x->slots ? ((size_t)x->mask + 1) * sizeof *x->slots : 0;
}

struct pd_memory profile_memory(const struct profile *p)
{
	if (p->finished)
		return p->memory;
	return (struct pd_memory){
		.paths = p->cap_walked * sizeof *p->walked,
		.functions = p->cap_places * sizeof *p->places + index_bytes(&p->place_index),
		.counters = p->cap_leaves * sizeof *p->leaves + index_bytes(&p->leaf_index) +
			    live_memory(&p->live) + lifetimes_memory(&p->lifetimes),
		.links = p->cap_nodes * sizeof *p->nodes + index_bytes(&p->node_index),
	};
}
