/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_LIFETIMES_H
#define MPROF_PROFILE_LIFETIMES_H

#include "base/idindex.h"
#include "profile/lifecounts.h"
#include "profile/live.h"

/* What a thread has done to blocks that were counted. */
struct thread_counts {
	uint64_t allocs, alloc_bytes, frees, free_bytes;
};

/*
 * How long blocks live, by the node of the call tree that allocated them; and which of them are
 * temporary: freed before the thread that allocated them has allocated again.
 *
 * A block knows whether it is its thread's latest one. It has been marked so when it was born, and
 * the thread's next request takes the mark away. Since the thread has to be looked up for that,
 * what it does is counted here, too.
 */
struct life_thread {
	int32_t task;
	taddr latest;	/* its latest block, which may have gone; 0: none */
	uint64_t born;	/* by which it is told from others that have been there since */
	struct thread_counts did;
};

struct lifetimes {
	uint64_t events;	/* allocations and frees so far: the clock that counts events */
	struct lifecounts counts;
	struct life_thread *threads;
	size_t n_threads, cap_threads;
	struct idindex thread_index;
	uint32_t latest_thread[16]; /* which were last looked for, by a part of the task; any
				       numbers, too */
};

void lifetimes_release(struct lifetimes *l);

/* @task is given the block at @ptr now: its latest one in @live is so no longer. 0 or -ENOMEM. */
int lifetimes_bear(struct lifetimes *l, struct live_table *live, int32_t task, taddr ptr);

/* What @task has done, to be counted there. NULL: out of memory; of a task that
 * lifetimes_bear() has been told of it is there. Good until another one is asked for. */
struct thread_counts *lifetimes_of_task(struct lifetimes *l, int32_t task);

/* The block that lifetimes_bear() has been told of last gets its slot. */
void lifetimes_birth(const struct lifetimes *l, struct live_slot *block, uint32_t leaf,
		     uint64_t now_ns);

/* A block that was taken out of the table of live ones is to be put back there: its mark is as it
 * would be if it had stayed. */
void lifetimes_back(const struct lifetimes *l, struct live_slot *block);

/* A block of @node has been freed, at @until_ns at the latest: it counts as the longest that it may
 * have lived. 0, or -ENOMEM: it is not counted. */
int lifetimes_death(struct lifetimes *l, uint32_t node, const struct live_slot *block,
		    uint64_t until_ns);

/* The bucket of a lifetime of @n events or nanoseconds. */
uint8_t lifetimes_bucket(uint64_t n);

/* What was counted of them so far is given back. */
void lifetimes_forget(struct lifetimes *l);

/* Bytes of memory. */
size_t lifetimes_memory(const struct lifetimes *l);

#endif
