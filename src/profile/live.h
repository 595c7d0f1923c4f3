/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_LIVE_H
#define MPROF_PROFILE_LIVE_H

#include "base/addrtable.h"
#include "taddr.h"

/*
 * The live blocks: address -> number of the leaf that counts it, and when it was born. 32 to 64
 * bytes a block. The times are cut to what fits into 24 bytes: a block may live for a million
 * million events and two years before its lifetime would be told wrong.
 */
struct live_slot {
	taddr ptr;	/* 0: empty; no allocator hands out address 0 */
	uint32_t leaf;
	uint32_t born_event;
	uint64_t born_ns : 56, born_event_high : 8;
};

#define LIVE_EVENT_MASK ((UINT64_C(1) << 40) - 1)
#define LIVE_NS_MASK ((UINT64_C(1) << 56) - 1)

struct live_table {
	struct addrtable table;
};

void live_release(struct live_table *t);

/* Add a block, or replace what is known of its address: *was tells that, if there was something.
 * Returns 1 (replaced), 0 (new) or -ENOMEM. */
int live_put(struct live_table *t, const struct live_slot *block, struct live_slot *was);

bool live_knows(const struct live_table *t, taddr ptr);

/* Take a block out. False: not known. */
bool live_take(struct live_table *t, taddr ptr, struct live_slot *block);

/* Bytes of memory. */
size_t live_memory(const struct live_table *t);

/* A copy in which the leaf of every block has the bits @flag set, too. 0 or -ENOMEM. */
int live_copy(struct live_table *to, const struct live_table *from, uint32_t flag);

#endif
