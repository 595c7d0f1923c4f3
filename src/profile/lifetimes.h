/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_LIFETIMES_H
#define MPROF_PROFILE_LIFETIMES_H

#include "base/idindex.h"
#include "profile/live.h"
#include "profile/profile_data.h"

/*
 * How long blocks live, by the node of the call tree that allocated them; and which of them are
 * temporary: freed before the thread that allocated them has allocated again.
 *
 * Only what occurs takes room: 16 bytes and a place in an index for each histogram's bucket that is
 * not empty.
 */
struct life_thread {
	int32_t task;
	taddr last;	/* its latest block, if that is still there; else 0 */
};

struct lifetimes {
	uint64_t events;	/* allocations and frees so far: the clock that counts events */
	struct pd_lifetime *v;
	size_t n, cap;
	struct idindex index;
	/* Where a bucket has been found lately, by a part of its key; any number may be here. */
	uint32_t latest[256];
	struct life_thread *threads;
	size_t n_threads, cap_threads;
	struct idindex thread_index;
	uint32_t latest_thread;	/* which was last looked for; any number, too */
	struct live_table last_of;	/* the blocks in threads[].last; their leaf is its number
					   there */
};

void lifetimes_release(struct lifetimes *l);

/* Note in @block that it is born now. */
void lifetimes_birth(const struct lifetimes *l, struct live_slot *block, uint64_t now_ns);

/* @task has been given the block at @ptr. 0 or -ENOMEM. */
int lifetimes_allocated(struct lifetimes *l, int32_t task, taddr ptr);

/* The block at @ptr goes. Returns whose latest block it is, a number for lifetimes_back(), or
 * PD_NONE. */
uint32_t lifetimes_take_last(struct lifetimes *l, taddr ptr);

/* It has not gone after all. 0 or -ENOMEM. */
int lifetimes_back(struct lifetimes *l, uint32_t thread, taddr ptr);

/* A block of @node has been freed. 0, or -ENOMEM: it is not counted, but buckets may be there that
 * have no block. */
int lifetimes_death(struct lifetimes *l, uint32_t node, const struct live_slot *block,
		    uint64_t now_ns, bool temporary);

/* The bucket of a lifetime of @n events or nanoseconds. */
uint8_t lifetimes_bucket(uint64_t n);

/* Bytes of memory. */
size_t lifetimes_memory(const struct lifetimes *l);

#endif
