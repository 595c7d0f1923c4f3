/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_INTERNAL_H
#define MPROF_PROFILE_INTERNAL_H

/* What the files of a profile in the making share. No other file includes this. */

#include "profile/profile.h"

/* profile_tree.c */
/* The chain as it is counted: cut to p->spared.depth, unless its engine has made its node. */
struct alloc_chain profile_cut(const struct profile *p, const struct alloc_chain *c);
/* The node of a request's chain; counts what the chain repeats of the one before. IDINDEX_NONE: out
 * of memory. */
uint32_t profile_node_of_chain(struct profile *p, const struct alloc_chain *c);
/* The leaf of what @e requests at @node. IDINDEX_NONE: out of memory, or there are too many. */
uint32_t profile_leaf_of(struct profile *p, uint32_t node, const struct alloc_event *e);

/* Prefetch: a request at @node will come soon. */
void profile_expect_leaf(const struct profile *p, uint32_t node, uint64_t size);
/* The leaf that it probably has; may be another one, or IDINDEX_NONE. */
uint32_t profile_guess_leaf(const struct profile *p, uint32_t node, uint64_t size);

/* profile_series.c */
/* Take a point that is due; or a spike, of what is live now. */
void profile_series_point(struct profile *p);
void profile_series_spike(struct profile *p);

static inline void profile_series_pass(struct profile *p)
{
	if (p->load.end_ns >= p->series.due_ns)
		profile_series_point(p);
}

/* To be called before an event. If it frees something, and much more is live than at the last
 * point, what is live now becomes a spike. */
static inline void profile_series_before(struct profile *p, enum alloc_event_kind kind)
{
	if (p->live_bytes >= p->series.spike_bytes &&
	    (kind == AE_FREE || kind == AE_REALLOC_BEGIN))
		profile_series_spike(p);
}

#endif
