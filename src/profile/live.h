/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_LIVE_H
#define MPROF_PROFILE_LIVE_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>

/* The live blocks: address -> number of the leaf that counts it. 21 to 43 bytes a block. */
struct live_slot {
	taddr ptr;	/* 0: empty; no allocator hands out address 0 */
	uint32_t leaf;
};

struct live_table {
	struct live_slot *slots;
	size_t mask;	/* number of slots - 1 */
	size_t n;
};

void live_release(struct live_table *t);

/* Add a block, or replace what is known of the address: *was tells the leaf it had, if it had one.
 * Returns 1 (replaced), 0 (new) or -ENOMEM. */
int live_put(struct live_table *t, taddr ptr, uint32_t leaf, uint32_t *was);

bool live_knows(const struct live_table *t, taddr ptr);

/* Take a block out. False: not known. */
bool live_take(struct live_table *t, taddr ptr, uint32_t *leaf);

/* A copy in which the leaf of every block has the bits @flag set, too. 0 or -ENOMEM. */
int live_copy(struct live_table *to, const struct live_table *from, uint32_t flag);

#endif
