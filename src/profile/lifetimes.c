/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/lifetimes.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

void lifetimes_release(struct lifetimes *l)
{
	free(l->v);
	idindex_release(&l->index);
	free(l->threads);
	idindex_release(&l->thread_index);
	live_release(&l->last_of);
	*l = (struct lifetimes){ 0 };
}

/* ---- histograms ---- */

static bool count_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pd_lifetime *a = &((const struct lifetimes *)owner)->v[id], *b = key;

	return a->node == b->node && a->axis == b->axis && a->bucket == b->bucket;
}

static uint64_t count_hash(const struct pd_lifetime *c)
{
	return hash_mix((uint64_t)c->node << 16 | (uint64_t)c->axis << 8 | c->bucket);
}

static uint64_t count_rehash(const void *owner, uint32_t id)
{
	return count_hash(&((const struct lifetimes *)owner)->v[id]);
}

/* The number of the bucket, made if need be. IDINDEX_NONE: out of memory. */
static uint32_t bucket_of(struct lifetimes *l, uint32_t node, enum pd_life_axis axis,
			  uint8_t bucket)
{
	struct pd_lifetime key = { .node = node, .axis = axis, .bucket = bucket };
	uint32_t *latest = &l->latest[(uint8_t)(node * 97 + axis * 64 + bucket)];

	if (*latest < l->n && count_eq(l, *latest, &key))
		return *latest;
	uint64_t hash = count_hash(&key);
	uint32_t id = idindex_find(&l->index, hash, count_eq, l, &key);

	if (id != IDINDEX_NONE)
		return *latest = id;
	id = (uint32_t)l->n;
	if (ARRAY_RESERVE(&l->v, &l->cap, l->n) ||
	    idindex_add(&l->index, id, hash, count_rehash, l))
		return IDINDEX_NONE;
	l->v[l->n++] = key;
	return id;
}

uint8_t lifetimes_bucket(uint64_t n)
{
	return n ? (uint8_t)(63 - __builtin_clzll(n)) : 0;
}

void lifetimes_birth(const struct lifetimes *l, struct live_slot *block, uint64_t now_ns)
{
	block->born_event = (uint32_t)l->events;
	block->born_event_high = (uint8_t)(l->events >> 32);
	block->born_ns = now_ns;
}

int lifetimes_death(struct lifetimes *l, uint32_t node, const struct live_slot *block,
		    uint64_t now_ns, bool temporary)
{
	uint64_t born = (uint64_t)block->born_event_high << 32 | block->born_event;
	uint64_t events = (l->events - born) & LIVE_EVENT_MASK,
		 ns = (now_ns - block->born_ns) & LIVE_NS_MASK;
	const uint8_t buckets[PD_LIFE_AXES] = { lifetimes_bucket(events), lifetimes_bucket(ns), 0 };
	const int n = temporary ? PD_LIFE_AXES : PD_LIFE_TEMPORARY;
	uint32_t ids[PD_LIFE_AXES];

	/* On all axes or on none: they tell of the same blocks. */
	for (int axis = 0; axis < n; axis++) {
		ids[axis] = bucket_of(l, node, axis, buckets[axis]);
		if (ids[axis] == IDINDEX_NONE)
			return -ENOMEM;
	}
	for (int axis = 0; axis < n; axis++)
		l->v[ids[axis]].blocks++;
	return 0;
}

/* ---- temporary blocks ---- */

static bool thread_eq(const void *owner, uint32_t id, const void *key)
{
	return ((const struct lifetimes *)owner)->threads[id].task == *(const int32_t *)key;
}

static uint64_t thread_rehash(const void *owner, uint32_t id)
{
	return hash_mix((uint32_t)((const struct lifetimes *)owner)->threads[id].task);
}

/* PD_NONE: out of memory. */
static uint32_t thread_of(struct lifetimes *l, int32_t task)
{
	if (l->latest_thread < l->n_threads && l->threads[l->latest_thread].task == task)
		return l->latest_thread;
	uint64_t hash = hash_mix((uint32_t)task);
	uint32_t id = idindex_find(&l->thread_index, hash, thread_eq, l, &task);

	if (id != IDINDEX_NONE)
		return l->latest_thread = id;
	id = (uint32_t)l->n_threads;
	if (ARRAY_RESERVE(&l->threads, &l->cap_threads, l->n_threads) ||
	    idindex_add(&l->thread_index, id, hash, thread_rehash, l))
		return PD_NONE;
	l->threads[l->n_threads++] = (struct life_thread){ .task = task };
	return id;
}

uint32_t lifetimes_take_last(struct lifetimes *l, taddr ptr)
{
	struct live_slot s;

	if (!live_take(&l->last_of, ptr, &s))
		return PD_NONE;
	l->threads[s.leaf].last = 0;
	return s.leaf;
}

int lifetimes_back(struct lifetimes *l, uint32_t thread, taddr ptr)
{
	struct live_slot block = { .ptr = ptr, .leaf = thread }, was;

	if (thread == PD_NONE || l->threads[thread].last)
		return 0;
	if (live_put(&l->last_of, &block, &was) < 0)
		return -ENOMEM;
	l->threads[thread].last = ptr;
	return 0;
}

int lifetimes_allocated(struct lifetimes *l, int32_t task, taddr ptr)
{
	uint32_t id = thread_of(l, task);

	if (id == PD_NONE)
		return -ENOMEM;
	if (l->threads[id].last)
		lifetimes_take_last(l, l->threads[id].last);
	return lifetimes_back(l, id, ptr);
}

static size_t index_bytes(const struct idindex *x)
{
	return x->slots ? ((size_t)x->mask + 1) * sizeof *x->slots : 0;
}

size_t lifetimes_memory(const struct lifetimes *l)
{
	return l->cap * sizeof *l->v + index_bytes(&l->index) +
	       l->cap_threads * sizeof *l->threads + index_bytes(&l->thread_index) +
	       live_memory(&l->last_of);
}
