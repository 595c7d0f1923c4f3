/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_BEFORE_H
#define MPROF_PROFILE_BEFORE_H

#include "base/addrtable.h"
#include "profile/profile_data.h"
#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The blocks that were there before anybody looked: found by a walk of the allocator's books, so
 * that only what may be used of each is known, and no path. They stay apart from the live blocks:
 * 16 bytes each, in order, and an index of their pages. Nothing is moved when one of them goes.
 */
struct before_block {
	taddr ptr;
	uint64_t usable; /* with BEFORE_GONE, BEFORE_MISSED, BEFORE_HELD */
};

#define BEFORE_GONE   (UINT64_C(1) << 63) /* it has been freed */
#define BEFORE_MISSED (UINT64_C(1) << 62) /* its end was not seen */
#define BEFORE_HELD   (UINT64_C(1) << 61) /* a realloc holds it */

struct before_sum {
	uint64_t blocks, bytes;
};

/* By usable size. */
struct before_bin {
	uint64_t usable, blocks, freed, missed;
};

struct before {
	enum before_how how;
	struct before_sum found, freed;
	/* Their addresses have been handed out again, and nobody saw them freed. */
	struct before_sum missed;
	struct before_block *blocks;
	size_t n;
	struct addrtable pages;
	uint64_t walk_ns; /* for so long the program was stopped for it */
	/* What the blocks came to by size, when before_finish() has given them back. */
	struct before_bin *bins;
	size_t n_bins;
};

void before_release(struct before *b);

/* Only their number is known. */
void before_count(struct before *b, struct before_sum sum);

/**
 * These have been found, in the order of their addresses.
 * @blocks  from malloc(); it belongs to @b whatever is returned
 * Returns 0, -ENOMEM, or -EINVAL: they are not in order, or too large for a program.
 */
int before_set(struct before *b, struct before_block *blocks, size_t n);

/* Is it one of them that is still there? */
bool before_has(const struct before *b, taddr ptr);

/* Its address is handed out: if it was said to be there still, its end was not seen. */
void before_reuse(struct before *b, taddr ptr);

/* It is being freed, or a realloc holds it. False: it is none of them. Then one of two: it has been
 * freed, or it stays. */
bool before_hold(struct before *b, taddr ptr);
void before_held_freed(struct before *b, taddr ptr);
void before_held_stays(struct before *b, taddr ptr);

/* What a process made by fork begins with: those that are there still, and those that are held, for
 * their reallocs are others' threads'. 0 or -ENOMEM. */
int before_fork(struct before *to, const struct before *from);

/* Begin anew: those that are there still were there before. */
void before_restart(struct before *b);

/**
 * By usable size, in order.
 * @bins  for free()
 * Returns 0 or -ENOMEM.
 */
int before_list(const struct before *b, struct before_bin **bins, size_t *n);

/* As a report has it. *@to: for profile_data_free(). 0 or -ENOMEM. */
int before_data(const struct before *b, struct pd_before *to);

/* No event will come any more. 0 or -ENOMEM; then all is as before. */
int before_finish(struct before *b);

/* Bytes of memory. */
size_t before_memory(const struct before *b);

#endif
