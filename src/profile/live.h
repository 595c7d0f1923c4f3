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
	uint32_t leaf;	/* with LIVE_LATEST, LIVE_REACHED, LIVE_MISSED */
	uint32_t born_event;
	uint64_t born;	/* 63..8 nanoseconds, 7..0 the upper bits of the event's number: one word,
			   for a part of one that was just written is slow to read */
};

/* With a leaf: the block's thread has not been given another one since. */
#define LIVE_LATEST 0x80000000u

/* ... The last look at the program's memory has found what leads to it. */
#define LIVE_REACHED 0x20000000u

/* ... It was there when a pause began, and has been counted as gone since. */
#define LIVE_MISSED 0x10000000u

#define LIVE_EVENT_MASK ((UINT64_C(1) << 40) - 1)
#define LIVE_NS_MASK ((UINT64_C(1) << 56) - 1)

static inline uint64_t live_born_event(const struct live_slot *s)
{
	return (s->born & 0xff) << 32 | s->born_event;
}

static inline uint64_t live_born_ns(const struct live_slot *s)
{
	return s->born >> 8;
}

struct live_table {
	struct addrtable table;
};

void live_release(struct live_table *t);

/* Add a block, or replace what is known of its address: *was tells that, if there was something.
 * Returns 1 (replaced), 0 (new) or -ENOMEM. */
int live_put(struct live_table *t, const struct live_slot *block, struct live_slot *was);

/* The slot of @ptr, to be filled with all but that; good until the next block comes or goes.
 * *@known: it has been there, and the slot tells of it. NULL: out of memory. */
struct live_slot *live_add(struct live_table *t, taddr ptr, bool *known);

bool live_knows(const struct live_table *t, taddr ptr);

/* The block at @ptr, good until the next one comes or goes; NULL: not known. */
struct live_slot *live_find(const struct live_table *t, taddr ptr);

/* The block that is at the first place where @ptr is looked for: mostly that one, or NULL. */
const struct live_slot *live_guess(const struct live_table *t, taddr ptr);

/* An event of this block is to come soon. */
void live_expect(const struct live_table *t, taddr ptr);

/* Take a block out. False: not known. */
bool live_take(struct live_table *t, taddr ptr, struct live_slot *block);

/* Bytes of memory. */
size_t live_memory(const struct live_table *t);

/* No block has been reached. */
void live_forget_reached(struct live_table *t);

/* A copy in which the leaf of every block has the bits @flag set, too, and none has been reached. 0
 * or -ENOMEM. */
int live_copy(struct live_table *to, const struct live_table *from, uint32_t flag);

#endif
