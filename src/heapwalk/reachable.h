/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_REACHABLE_H
#define MPROF_HEAPWALK_REACHABLE_H

#include "heapwalk/spans.h"
#include "heapwalk/walk.h"
#include "still/still.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Which blocks a program can still reach, from a still. The memory was written by the program, and
 * pointers in it may lead anywhere: each block is scanned a bounded number of times, whatever it
 * contains.
 */

/* The classes of Valgrind's memcheck. */
enum reach_class {
	REACH_LOST,	    /* directly: nothing points at it, or only blocks that it leads to
			       itself */
	REACH_LOST_THROUGH, /* only lost blocks lead to it */
	REACH_POSSIBLE,	    /* only chains with a pointer into a block lead to it */
	REACH_REACHABLE,
	N_REACH_CLASSES
};

/* Why a pointer into a block counts like one to its start. */
enum reach_idiom {
	IDIOM_NONE,
	IDIOM_TAG,     /* 1 to 15 bytes: tag bits, or a length or a count of elements in front */
	IDIOM_STRING,  /* the text of an old std::string */
	IDIOM_BASE,    /* another base of a class: both have vtables */
	IDIOM_REGULAR, /* many similar blocks have pointers only to this offset */
	N_REACH_IDIOMS
};

extern const char *const reach_idiom_names[N_REACH_IDIOMS];

/* ---- roots ---- */

struct reach_range {
	taddr start, end;
};

/* The roots: memory that is not the allocator's, in order, and single words. */
struct reach_roots {
	struct reach_range *ranges;
	size_t n_ranges, cap_ranges;
	uint64_t *words;
	size_t n_words, cap_words;
	taddr *stacks; /* stack pointers: a block that contains one is a stack */
	size_t n_stacks, cap_stacks;
};

void reach_roots_release(struct reach_roots *r);

/**
 * All roots of a still: its words, stacks from their stack pointers on, and all other copied
 * memory.
 * @walk  the allocator's walk, whose memory is left out; NULL: the allocator is not known
 * Returns 0 or -ENOMEM.
 */
int reach_roots_find(struct reach_roots *r, const struct still *s, const struct heap_walk *walk);

/* ---- classes ---- */

struct reach_asked {
	const struct still *still;
	const struct spans *blocks;
	const struct reach_roots *roots;
	bool no_idioms;
	/* Blocks that were not lost before do not count as lost now; lost_before: the addresses of
	 * those that were, in order. */
	bool spares_new;
	const taddr *lost_before;
	size_t n_lost_before;
};

/* A directly lost block, and the sum of what is lost through it. */
struct reach_lost {
	uint32_t block;
	struct heap_sum through;
};

struct reach_idiom_row {
	enum reach_idiom kind;
	uint32_t offset;
	uint64_t blocks;
};

struct reach {
	uint8_t *classes; /* enum reach_class, of each block */
	struct heap_sum sums[N_REACH_CLASSES];
	struct reach_lost *lost; /* all directly lost blocks */
	size_t n_lost, cap_lost;
	struct reach_idiom_row *idioms; /* most blocks first */
	size_t n_idioms, cap_idioms;
};

/* 0 or -ENOMEM. */
int reach_find(struct reach *r, const struct reach_asked *asked);

void reach_release(struct reach *r);

/* The addresses of all lost blocks, directly or not, in order, for free(). NULL: none, or out of
 * memory, as *err says. */
taddr *reach_lost_addresses(const struct reach *r, const struct spans *blocks, size_t *n, int *err);

#endif
