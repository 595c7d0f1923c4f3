/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_LIVE_H
#define MPROF_PROFILE_LIVE_H

#include "base/addrtable.h"
#include "taddr.h"

/*
 * The live blocks: address -> number of the leaf that counts it, and when it was allocated. 32 to
 * 64 bytes a block. Times are cut to what fits into 24 bytes: lifetimes are right up to a million
 * million events, or two years.
 */
struct live_slot {
	taddr ptr;	/* 0: empty; no allocator hands out address 0 */
	uint32_t leaf;	/* with LIVE_LATEST, LIVE_REACHED, LIVE_MISSED */
	uint32_t born_event;
	uint64_t born;	/* bits 63..8 nanoseconds, 7..0 the upper bits of the event's number, in
			   one word: reading a part of a word just written is slow */
};

/* A flag in the leaf: the block's thread has not allocated another one since. */
#define LIVE_LATEST 0x80000000u

/* ... The last look at the program's memory found the block reachable. */
#define LIVE_REACHED 0x20000000u

/* ... It was live when a pause began, and counts as gone since then. */
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

/* Add a block, or replace the one at its address, which is then copied to *was.
 * Returns 1 (replaced), 0 (new) or -ENOMEM. */
int live_put(struct live_table *t, const struct live_slot *block, struct live_slot *was);

/* The slot of @ptr, of which the caller fills all but ptr; valid until the next block is added or
 * taken. *@known: it was there already and has its old contents. NULL: out of memory. */
struct live_slot *live_add(struct live_table *t, taddr ptr, bool *known);

/* Is there a block at @ptr? */
bool live_knows(const struct live_table *t, taddr ptr);

/* The block at @ptr, valid until the next one is added or taken; NULL: not known. */
struct live_slot *live_find(const struct live_table *t, taddr ptr);

/* The block in the first slot that @ptr hashes to, without probing: mostly that of @ptr. May be
 * another one, or NULL. */
const struct live_slot *live_guess(const struct live_table *t, taddr ptr);

/* Prefetch: an event of this block will come soon. */
void live_expect(const struct live_table *t, taddr ptr);

/* Take a block out. False: not known. */
bool live_take(struct live_table *t, taddr ptr, struct live_slot *block);

/* Bytes of memory in use. */
size_t live_memory(const struct live_table *t);

/* Clears LIVE_REACHED of all blocks. */
void live_forget_reached(struct live_table *t);

/* Copies the table, sets the bits @flag in the leaf of every block, and clears LIVE_REACHED. 0 or
 * -ENOMEM. */
int live_copy(struct live_table *to, const struct live_table *from, uint32_t flag);

#endif
