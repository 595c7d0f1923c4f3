/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_SLOWDOWN_H
#define MPROF_BASE_SLOWDOWN_H

#include <stdint.h>

/* What programs did in a stretch of time in which they were observed. */
struct cost_span {
	uint64_t ran_ns;	/* of their processor time */
	uint64_t stopped_ns;	/* how long we have kept their threads stopped: struct
				   observer_effort */
	uint64_t taken_ns;	/* the part of ran_ns that was spent in stops, not in their own
				   work */
	uint64_t calls;		/* that were seen without a stop */
};

enum { SLOWDOWN_MAX = 100 };

/*
 * How many times as long as without us it took them to do that: 1 is no slowdown. SLOWDOWN_MAX at
 * most; 0: they did not run, so it is not known.
 *
 * Only running threads count: one that sleeps is not slowed down by being observed. If a thread
 * serves a request in 1 ms and then waits 9 ms for the next, a slowdown of 3 makes the 1 ms 3 ms;
 * the 10 ms between requests stay, if the next one does not depend on the answer.
 */
double slowdown_of(const struct cost_span *c);

/* What it would have been if so many calls had been seen without a stop, and there were no
 * stops. */
double slowdown_of_calls(const struct cost_span *c, uint64_t calls);

/* What was done between two moments: @first are the sums until the first, @second those until the
 * second. */
struct cost_span slowdown_between(const struct cost_span *first, const struct cost_span *second);

#endif
