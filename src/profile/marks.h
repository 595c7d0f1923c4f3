/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_MARKS_H
#define MPROF_PROFILE_MARKS_H

#include "base/addrtable.h"
#include "profile/live.h"
#include "profile/profile_data.h"

#include <stddef.h>
#include <stdint.h>

/* What a look at the program's memory has found out about a block. */
struct said_of_block {
	taddr ptr;
	enum pd_reach_class class;
	struct pd_sum hanging; /* lost through it, if it is lost directly */
};

/*
 * Live blocks that no pointer leads to any more, or only a pointer into them. Blocks come and go
 * after the look; which of the marked ones are still live is found when they are counted. Most
 * blocks are reachable: they have no mark here, but a flag in the table of live blocks.
 */
struct block_mark {
	struct live_slot block;
	uint64_t hanging_bytes;
	uint32_t hanging_blocks;
	uint8_t class; /* enum pd_reach_class */
};

/* How many blocks of a leaf are marked with a class. */
struct mark_count {
	uint32_t leaf;
	uint8_t class;
	uint64_t blocks;
	struct pd_sum hanging;
};

struct mark_counts {
	struct pd_reach reach;
	struct mark_count *v; /* sorted by leaf, then class */
	size_t n;
};

struct marks {
	struct pd_reach reach; /* of all blocks that the look has seen */
	struct block_mark *v;
	size_t n, cap;
	/* While a look is going on: the time of the memory that it sees (0: no look is going
	 * on), and the addresses of blocks that were live then and have been freed since. */
	uint64_t since_ns;
	struct addrtable gone;
};

/* A look begins, at the memory as it is now. */
void marks_look(struct marks *m, uint64_t now_ns);

/* A block is freed. 0 or -ENOMEM: it is not noted. */
int marks_gone(struct marks *m, const struct live_slot *block, uint64_t now_ns);

/* Has the block that was at @ptr been freed since the look began? */
bool marks_is_gone(const struct marks *m, taddr ptr);

/* All results of the look have been added. */
void marks_look_over(struct marks *m);

/* The results of a new look follow: drops all marks. */
void marks_begin(struct marks *m, const struct pd_reach *reach);

/* Add the result for one block. 0 or -ENOMEM. */
int marks_add(struct marks *m, struct live_slot *block, const struct said_of_block *said);

/**
 * Count the marked blocks that are still live.
 * @leaf_of   the number of a block's leaf
 * @n_leaves  greater than all of these numbers
 * @out       the caller's, for mark_counts_release()
 * Returns 0 or -ENOMEM.
 */
int marks_count(const struct marks *m, const struct live_table *live,
		uint32_t (*leaf_of)(const struct live_slot *block), size_t n_leaves,
		struct mark_counts *out);

/* Bytes of memory in use. */
size_t marks_memory(const struct marks *m);

void mark_counts_release(struct mark_counts *c);
void marks_release(struct marks *m);

#endif
