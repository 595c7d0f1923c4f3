/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetching: a profile of many blocks and call sites does not fit the processor's caches, and
 * each thing that an event touches is found through the one before. So for a batch of events first
 * all blocks are fetched, then all leaves, then the counts of their lifetimes. */
#include "profile/profile_internal.h"

enum { SMALL = 256 << 10 }; /* bytes: a profile of this size stays in the caches */

static bool is_small(const struct profile *p)
{
	return live_memory(&p->live) + p->n_leaves * sizeof *p->leaves < SMALL;
}

/* The leaf that will count the event, as far as that can be told without a cache miss. */
static uint32_t leaf_of(const struct profile *p, const struct alloc_expected *x)
{
	if (x->node)
		return profile_guess_leaf(p, x->node, x->size);
	const struct live_slot *block = live_guess(&p->live, x->ptr);

	return block ? profile_leaf_number(block) : IDINDEX_NONE;
}

bool profile_expect(const struct profile *p, const struct alloc_expected *v, unsigned n)
{
	enum { MOST = 64 };
	uint32_t leaves[MOST];

	if (is_small(p))
		return false;
	if (n > MOST)
		n = MOST;
	for (unsigned i = 0; i < n; i++) {
		if (v[i].ptr)
			live_expect(&p->live, v[i].ptr);
		if (v[i].node)
			profile_expect_leaf(p, v[i].node, v[i].size);
	}
	for (unsigned i = 0; i < n; i++) {
		leaves[i] = leaf_of(p, &v[i]);
		if (leaves[i] < p->n_leaves)
			__builtin_prefetch(&p->leaves[leaves[i]], 1);
	}
	for (unsigned i = 0; i < n; i++)
		if (!v[i].node && leaves[i] < p->n_leaves)
			lifecounts_expect(&p->lifetimes.counts, p->leaves[leaves[i]].node);
	return true;
}
