/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_LIFETIMES_H
#define MPROF_PROFILE_LIFETIMES_H

#include "base/idindex.h"
#include "profile/lifecounts.h"
#include "profile/live.h"

/* What a thread has done; only blocks that were counted. */
struct thread_counts {
	uint64_t allocs, alloc_bytes, frees, free_bytes;
};

/*
 * How long blocks live, by the node of the call tree that allocated them; and which of them are
 * temporary: freed before the thread that allocated them has allocated again.
 *
 * A flag of the block says that it is its thread's latest one. It is set when the block is
 * allocated, and cleared by the thread's next request. Since the thread has to be looked up for
 * that, its requests and frees are counted here, too.
 */
struct life_thread {
	int32_t task;
	taddr latest;	/* its latest block, which may have been freed; 0: none */
	uint64_t born;	/* of the latest block, to tell it from later ones at that address */
	struct thread_counts did;
};

struct lifetimes {
	uint64_t events;	/* allocations and frees so far: the clock that counts events */
	struct lifecounts counts;
	struct life_thread *threads;
	size_t n_threads, cap_threads;
	struct idindex thread_index;
	uint32_t latest_thread[16]; /* a cache of indices, by the lower bits of the task; may be
				       stale */
};

void lifetimes_release(struct lifetimes *l);

/* @task is given the block at @ptr: clears the flag of its latest block so far in @live. 0 or
 * -ENOMEM. */
int lifetimes_bear(struct lifetimes *l, struct live_table *live, int32_t task, taddr ptr);

/* The counts of @task, to be updated; valid until the next call. NULL: out of memory, which cannot
 * happen after lifetimes_bear() for that task. */
struct thread_counts *lifetimes_of_task(struct lifetimes *l, int32_t task);

/* Fills the slot of the block that lifetimes_bear() was called for last. */
void lifetimes_birth(const struct lifetimes *l, struct live_slot *block, uint32_t leaf,
		     uint64_t now_ns);

/* A block that was taken out of the live table will be put back: sets its flag to what it would be
 * if it had stayed. */
void lifetimes_back(const struct lifetimes *l, struct live_slot *block);

/* A block of @node has been freed, at @until_ns at the latest: it counts with its longest possible
 * lifetime. 0, or -ENOMEM: it is not counted. */
int lifetimes_death(struct lifetimes *l, uint32_t node, const struct live_slot *block,
		    uint64_t until_ns);

/* The bucket of a lifetime of @n events or nanoseconds. */
uint8_t lifetimes_bucket(uint64_t n);

/* Drops and frees all histograms. */
void lifetimes_forget(struct lifetimes *l);

/* Bytes of memory in use. */
size_t lifetimes_memory(const struct lifetimes *l);

#endif
