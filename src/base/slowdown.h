/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_SLOWDOWN_H
#define MPROF_BASE_SLOWDOWN_H

#include <stdint.h>

/* What programs did in a stretch of time in which they were observed. */
struct cost_span {
	uint64_t ran_ns;	/* of their processor time */
	uint64_t stopped_ns;	/* for so long their threads stood still for us: struct
				   observer_effort */
	uint64_t stops;
	uint64_t calls;		/* that were seen without a stop */
};

enum { SLOWDOWN_MAX = 100 };

/* How many times as long as without us it took them to do that: 1 is as long. Not above
 * SLOWDOWN_MAX; 0: they did not run, and nobody knows. */
double slowdown_of(const struct cost_span *c);

/* What was done between two moments: the sums until the first, and those until the second. */
struct cost_span slowdown_between(const struct cost_span *first, const struct cost_span *second);

#endif
