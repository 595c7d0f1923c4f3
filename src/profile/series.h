/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_SERIES_H
#define MPROF_PROFILE_SERIES_H

#include "profile/chain_ends.h"
#include "profile/profile_data.h"

/*
 * What the heaviest ends of a profile's chains (chain_ends.h) held over time, in a bounded number
 * of points. Pure data: the bytes that each held are added up in profile_series.c.
 *
 * At first each event is a point. When there are as many as there may be, half of them are dropped,
 * those whose neighbours are closest together, and new ones come no closer than the rest are.
 * Taking a point visits all sites, so it costs the more the larger the call tree is: all points
 * together may take SERIES_FREE_NS and a hundredth of the time that has passed, as reckoned by
 * SERIES_NODE_NS; a point above that has to wait.
 *
 * If live bytes rise between two points by more than one SERIES_SPIKE_PART above the last one,
 * their highest value, just before they go down, is a point too: a spike. There is at most one
 * between two other points. A point that is above both its neighbours is never dropped.
 */
#define SERIES_POINTS  PD_SERIES_POINTS /* at most, the peak and the end among them */
#define SERIES_LEAST   10u
#define SERIES_SHARES  256u /* ends that a point has a share of, at most */
#define SERIES_NODE_NS 10u /* what visiting one node costs, about */
#define SERIES_FREE_NS UINT64_C(10000000)
#define SERIES_PART    100u
#define SERIES_SPIKE_PART 32u

struct series_share {
	uint64_t bytes; /* > 0 */
	uint32_t node;	/* a node whose chain has that end, and that held some of them */
};

struct series_point {
	uint64_t time_ns; /* CLOCK_MONOTONIC; never decreases */
	uint64_t live_bytes, live_blocks, allocs;
	bool spike; /* it was not due */
	unsigned n; /* shares, the heaviest first */
	struct series_share *shares;
};

struct series {
	unsigned max;	 /* points; 0: none are kept */
	uint64_t due_ns; /* earliest time of the next point; UINT64_MAX: there will be none */
	uint64_t begin_ns, interval_ns;
	uint64_t spike_bytes;	       /* from this many live bytes on, a fall makes a spike */
	uint64_t spent_ns;	       /* on points, as reckoned */
	uint64_t peak_ns, peak_allocs; /* when live bytes were at their highest */
	struct series_point *points;
	size_t n, cap;
	struct chain_ends ends;
};

/* @max: the most points, from SERIES_LEAST to SERIES_POINTS; or 0. */
void series_init(struct series *s, unsigned max);
void series_release(struct series *s);

/* Bytes of memory in use. */
size_t series_used(const struct series *s);

/* Begin anew, with no point. */
void series_restart(struct series *s);

/* May a point that is due be taken at @now_ns, though it visits @nodes nodes? If not, it is put off
 * until it may. */
bool series_affords(struct series *s, uint64_t now_ns, size_t nodes);

/* May a spike be taken at @now_ns? Spikes may take half of what points may. */
bool series_affords_spike(const struct series *s, uint64_t now_ns, size_t nodes);

/* Add a point with a copy of its shares; then drop some points if there are too many. 0, or
 * -ENOMEM: it is not added. */
int series_add(struct series *s, const struct series_point *point);

/* The greatest of @sums[0...n) that are not 0, at most SERIES_SHARES; in shares[].node is the
 * index. Greatest first; of equal ones the lower index first. Returns how many. */
unsigned series_heaviest(const uint64_t *sums, size_t n, struct series_share *shares);

/* Choose @drop of the points [0, n) to be dropped: one by one that whose neighbours are closest
 * together, the earliest if there are several; never the first or the last, nor one when more was
 * live than at both its neighbours. @gone[i] is set to whether i is dropped. n <= SERIES_POINTS. */
void series_thin(const uint64_t *times, const uint64_t *live, size_t n, size_t drop, bool *gone);

#endif
