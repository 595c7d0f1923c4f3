/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_INTERNAL_H
#define MPROF_PROFILE_INTERNAL_H

/* What the files of a profile in the making share: profile_tree.c, profile_event.c
 * and profile_series.c. Nobody else includes this. */

#include "profile/profile.h"

/* profile_tree.c */
/* A chain as it is kept: shorter, if it is to be; one of a node is as its engine has grown it. */
struct alloc_chain profile_cut(const struct profile *p, const struct alloc_chain *c);
/* The node of a request's chain, with what it repeats of the last one counted. IDINDEX_NONE: out of
 * memory. */
uint32_t profile_node_of_chain(struct profile *p, const struct alloc_chain *c);
/* The leaf of what @e requests at @node. IDINDEX_NONE: out of memory, or there are too many. */
uint32_t profile_leaf_of(struct profile *p, uint32_t node, const struct alloc_event *e);

/* A request at @node is to come soon: where its leaf's number stands is fetched. */
void profile_expect_leaf(const struct profile *p, uint32_t node, uint64_t size);
/* The leaf that it probably has; or any, or IDINDEX_NONE. */
uint32_t profile_guess_leaf(const struct profile *p, uint32_t node, uint64_t size);

/* profile_series.c */
/* A point of the series is due; what is live now is a spike. */
void profile_series_point(struct profile *p);
void profile_series_spike(struct profile *p);

static inline void profile_series_pass(struct profile *p)
{
	if (p->load.end_ns >= p->series.due_ns)
		profile_series_point(p);
}

/* The next event comes, before which more was live than at the last point: if it frees something,
 * that is a point, too. */
static inline void profile_series_before(struct profile *p, enum alloc_event_kind kind)
{
	if (p->live_bytes >= p->series.spike_bytes &&
	    (kind == AE_FREE || kind == AE_REALLOC_BEGIN))
		profile_series_spike(p);
}

#endif
