/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/lifetimes.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

void lifetimes_release(struct lifetimes *l)
{
	lifecounts_release(&l->counts);
	free(l->threads);
	idindex_release(&l->thread_index);
	*l = (struct lifetimes){ 0 };
}

/* ---- threads ---- */

static bool thread_eq(const void *owner, uint32_t id, const void *key)
{
	return ((const struct lifetimes *)owner)->threads[id].task == *(const int32_t *)key;
}

static uint64_t thread_rehash(const void *owner, uint32_t id)
{
	return hash_mix((uint32_t)((const struct lifetimes *)owner)->threads[id].task);
}

static struct life_thread *find_thread(struct lifetimes *l, int32_t task, uint32_t *latest)
{
	uint64_t hash = hash_mix((uint32_t)task);
	uint32_t id = idindex_find(&l->thread_index, hash, thread_eq, l, &task);

	if (id == IDINDEX_NONE) {
		id = (uint32_t)l->n_threads;
		if (ARRAY_RESERVE(&l->threads, &l->cap_threads, l->n_threads) ||
		    idindex_add(&l->thread_index, id, hash, thread_rehash, l))
			return NULL;
		l->threads[l->n_threads++] = (struct life_thread){ .task = task };
	}
	*latest = id;
	return &l->threads[id];
}

/* NULL: out of memory. */
static struct life_thread *thread_of(struct lifetimes *l, int32_t task)
{
	uint32_t *latest = &l->latest_thread[(uint32_t)task %
					     (sizeof l->latest_thread / sizeof *l->latest_thread)];

	if (*latest < l->n_threads && l->threads[*latest].task == task)
		return &l->threads[*latest];
	return find_thread(l, task, latest);
}

struct thread_counts *lifetimes_of_task(struct lifetimes *l, int32_t task)
{
	struct life_thread *t = thread_of(l, task);

	return t ? &t->did : NULL;
}

/* ---- blocks ---- */

static bool is_latest(const struct life_thread *t, const struct live_slot *block)
{
	return t->latest == block->ptr && t->born == (live_born_event(block) & LIVE_EVENT_MASK);
}

int lifetimes_bear(struct lifetimes *l, struct live_table *live, int32_t task, taddr ptr)
{
	struct life_thread *t = thread_of(l, task);

	if (!t)
		return -ENOMEM;
	struct live_slot *before = live_find(live, t->latest);
	if (before && is_latest(t, before))
		before->leaf &= ~LIVE_LATEST;
	t->latest = ptr;
	t->born = l->events & LIVE_EVENT_MASK;
	return 0;
}

void lifetimes_birth(const struct lifetimes *l, struct live_slot *block, uint32_t leaf,
		     uint64_t now_ns)
{
	block->leaf = leaf | LIVE_LATEST;
	block->born_event = (uint32_t)l->events;
	block->born = now_ns << 8 | (l->events >> 32 & 0xff);
}

void lifetimes_back(const struct lifetimes *l, struct live_slot *block)
{
	block->leaf &= ~LIVE_LATEST;
	for (size_t i = 0; i < l->n_threads; i++)
		if (is_latest(&l->threads[i], block))
			block->leaf |= LIVE_LATEST;
}

uint8_t lifetimes_bucket(uint64_t n)
{
	return n ? (uint8_t)(63 - __builtin_clzll(n)) : 0;
}

int lifetimes_death(struct lifetimes *l, uint32_t node, const struct live_slot *block,
		    uint64_t until_ns)
{
	uint64_t events = (l->events - live_born_event(block)) & LIVE_EVENT_MASK,
		 ns = (until_ns - live_born_ns(block)) & LIVE_NS_MASK;

	return lifecounts_add(&l->counts, node, lifetimes_bucket(events), lifetimes_bucket(ns),
			      block->leaf & LIVE_LATEST);
}

void lifetimes_forget(struct lifetimes *l)
{
	lifecounts_release(&l->counts);
}

size_t lifetimes_memory(const struct lifetimes *l)
{
	return lifecounts_memory(&l->counts) + l->cap_threads * sizeof *l->threads +
	       idindex_memory(&l->thread_index);
}
