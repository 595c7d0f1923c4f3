/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_ROOM_H
#define MPROF_FAST_ROOM_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in a program's address space there is room for a mapping of ours, out of the way. The
 * kernel hands out addresses downwards from those in use (or upwards, see personality(2),
 * ADDR_COMPAT_LAYOUT): a mapping of ours there would move all later ones of the program, and change
 * what depends on addresses, such as the order of a hash table. */

/* A piece of memory that is in use. */
struct room_range {
	taddr start, end;
	bool heap;	/* the program break: it grows upwards from its end */
	bool stack;	/* the first thread's: it grows downwards from its start */
};

struct room_wish {
	taddr near_start, near_end; /* near this code, ... */
	uint64_t away;		    /* ... about this far: unless it is where stacks grow */
	uint64_t reach;		    /* ... at most this far from its far end */
	uint64_t size;
	uint64_t stack_limit;	    /* how far stacks may grow, at least */
};

/**
 * In the order of preference: under the first stack, in the gap that the kernel keeps free for it;
 * below the code, about as far away as wished; above it. In a hole without room at that distance it
 * is as near to the code as possible. A page is left free at either side.
 * @ranges  sorted, without overlaps
 * Returns the page-aligned beginning, or 0: there is none.
 */
taddr room_find(const struct room_range *ranges, size_t n, const struct room_wish *wish);

/**
 * A place for a mapping that may be anywhere: farther from the addresses that the kernel hands out
 * than most programs ever reach.
 * @ranges, @stack_limit  as for room_find()
 * @size  in bytes
 * Returns the page-aligned beginning, or 0: no hole is that large.
 */
taddr room_far(const struct room_range *ranges, size_t n, uint64_t size, uint64_t stack_limit);

#endif
