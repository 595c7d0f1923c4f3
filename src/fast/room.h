/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_ROOM_H
#define MPROF_FAST_ROOM_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in a program's address space there is room for something of ours. */

/* A piece of memory that is in use. */
struct room_range {
	taddr start, end;
	bool heap;	/* the program break: it grows upwards from its end */
	bool stack;	/* the first thread's: it grows downwards from its start */
};

struct room_wish {
	taddr near_start, near_end; /* as near as can be to this code ... */
	uint64_t reach;		    /* ... from whose far end it may be no farther than this */
	uint64_t size;
	uint64_t stack_limit;	    /* so far stacks may grow, at least */
};

/**
 * The hole that is nearest, with a page left free at either side of what is put there.
 * @ranges  sorted, without overlaps
 * Returns the page-aligned beginning, or 0: there is none.
 */
taddr room_find(const struct room_range *ranges, size_t n, const struct room_wish *wish);

#endif
