/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a thread remembers of the extent tree, in its thread-local memory: pairs of an address
 * without the bits that a leaf covers, and that leaf. Source: struct rtree_ctx_s. The address is in
 * a block if that contains a multiple of a GiB, but nobody uses the block by it.
 */
#include "heapwalk/jemalloc_internal.h"

enum {
	PAIR = 16,
	PAIRS = 16 + 8, /* of both levels */
	NO_KEY = 1,
};

static taddr leaf_of(struct jemalloc *j, uint64_t key)
{
	const uint64_t number = key >> LEAF_SHIFT;

	return number < ROOTS ? still_word_or_0(&j->r, j->root + number * 8) : 0;
}

/* Is this a pair? *used is set if there is something in it. */
static bool is_pair(struct jemalloc *j, taddr at, bool *used)
{
	uint64_t key, leaf;

	if (!still_word(&j->r, at, &key) || !still_word(&j->r, at + 8, &leaf))
		return false;
	if (key == NO_KEY && !leaf)
		return true;
	*used = true;
	return key % (UINT64_C(1) << LEAF_SHIFT) == 0 && leaf && leaf == leaf_of(j, key);
}

static bool are_pairs(struct jemalloc *j, taddr at)
{
	bool used = false;

	for (unsigned i = 0; i < PAIRS; i++)
		if (!is_pair(j, at + i * PAIR, &used))
			return false;
	return used;
}

/* The distance from a thread pointer, searched from @from down to @to; 0: there are none. */
static uint64_t find(struct jemalloc *j, taddr tp, uint64_t from, uint64_t to)
{
	for (uint64_t off = from; off > to; off -= 8)
		if (tp > off && are_pairs(j, (tp & ~(taddr)7) - off))
			return off;
	return 0;
}

static uint64_t find_in_any(struct jemalloc *j, uint64_t from, uint64_t to)
{
	uint64_t found = 0;

	for (size_t i = 0; !found && i < j->s->n_tasks && i < FAR_TASKS; i++)
		found = find(j, j->s->tasks[i].tp, from, to);
	return found;
}

void jemalloc_lookups_take(struct jemalloc *j, taddr tp)
{
	const taddr at = (tp & ~(taddr)7) - j->lookups;

	if (j->lookups && tp > j->lookups && are_pairs(j, at) && !j->err)
		j->err = heap_add_own(j->w, at, at + PAIRS * PAIR);
}

void jemalloc_lookups_walk(struct jemalloc *j)
{
	j->lookups = find_in_any(j, NEAR, 0);
	if (!j->lookups)
		j->lookups = find_in_any(j, FAR, NEAR);
	for (size_t i = 0; i < j->s->n_tasks; i++)
		jemalloc_lookups_take(j, j->s->tasks[i].tp);
}
