/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_SERIES_H
#define MPROF_PROFILE_SERIES_H

#include "profile/chain_ends.h"
#include "profile/profile_data.h"

/*
 * What the heaviest ends of a profile's chains (chain_ends.h) held over the time, in a bounded
 * number of points. Pure data: who adds up what each holds is profile_series.c.
 *
 * At first each event is a point; when there are as many as there may be, half of them go, those
 * whose neighbours are closest together, and the next ones come no closer than what is left. To
 * take a point is to look at everything that has requested something, so that it costs the more the
 * larger the tree of calls is: all points together may take SERIES_FREE_NS and a hundredth of the
 * time that has passed, as SERIES_NODE_NS reckons it, and what is above that has to wait.
 *
 * What was live for a moment between two points is a point, too, a spike, before it goes down: if
 * it is by one SERIES_SPIKE_PART above the last point. There is one between two others, the
 * highest. No point goes that is above both its neighbours.
 */
#define SERIES_POINTS  PD_SERIES_POINTS /* at most, the peak and the end among them */
#define SERIES_LEAST   10u
#define SERIES_SHARES  256u /* ends of which a point tells what they held, at most */
#define SERIES_NODE_NS 10u /* what it costs to look at one of the nodes, about */
#define SERIES_FREE_NS UINT64_C(10000000)
#define SERIES_PART    100u
#define SERIES_SPIKE_PART 32u

struct series_share {
	uint64_t bytes; /* > 0 */
	uint32_t node;	/* a chain of that end, which held a part of them */
};

struct series_point {
	uint64_t time_ns; /* CLOCK_MONOTONIC; never less than before */
	uint64_t live_bytes, live_blocks, allocs;
	bool spike; /* it was not due */
	unsigned n; /* shares, the heaviest first */
	struct series_share *shares;
};

struct series {
	unsigned max;	 /* points; 0: none is kept */
	uint64_t due_ns; /* the next one, not before; UINT64_MAX: none will be */
	uint64_t begin_ns, interval_ns;
	uint64_t spike_bytes;	       /* if so much is live, and goes down, that is a spike */
	uint64_t spent_ns;	       /* on points, as reckoned */
	uint64_t peak_ns, peak_allocs; /* when live bytes were at their highest */
	struct series_point *points;
	size_t n, cap;
	struct chain_ends ends;
};

/* @max: as many points at most, or 0; from SERIES_LEAST to SERIES_POINTS otherwise. */
void series_init(struct series *s, unsigned max);
void series_release(struct series *s);

/* Bytes that are in use. */
size_t series_used(const struct series *s);

/* Begin anew, with no point. */
void series_restart(struct series *s);

/* May a point be taken at @now_ns, which is due, though it means to look at so many nodes? No: it
 * is put off until it may. */
bool series_affords(struct series *s, uint64_t now_ns, size_t nodes);

/* May a spike be a point at @now_ns? For them there is half of what points may take. */
bool series_affords_spike(const struct series *s, uint64_t now_ns, size_t nodes);

/* Add a point, which is due or a spike, with a copy of its shares; then drop some if there are too
 * many. 0 or -ENOMEM: there is none. */
int series_add(struct series *s, const struct series_point *point);

/* Those of @sums[0...n) that are greatest, by their number instead of a node; the greatest first,
 * among equal ones the lower number; at most SERIES_SHARES, and none of 0. Returns how many. */
unsigned series_heaviest(const uint64_t *sums, size_t n, struct series_share *shares);

/* Which of the times [0, n) to do without, so that @drop fewer are left: one after the other that
 * whose neighbours are closest together, of several the earliest; never the first or the last, nor
 * one when more was live than at both its neighbours.
 * @gone[i] is set of those that go. n <= SERIES_POINTS. */
void series_thin(const uint64_t *times, const uint64_t *live, size_t n, size_t drop, bool *gone);

#endif
