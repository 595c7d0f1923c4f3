/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_SLOWDOWN_H
#define MPROF_BASE_SLOWDOWN_H

#include <stdint.h>

/* What programs did in a stretch of time in which they were observed. */
struct cost_span {
	uint64_t ran_ns;	/* of their processor time */
	uint64_t stopped_ns;	/* for so long their threads stood still for us: struct
				   observer_effort */
	uint64_t taken_ns;	/* so much of what they ran was their stops, and not their own */
	uint64_t calls;		/* that were seen without a stop */
};

enum { SLOWDOWN_MAX = 100 };

/*
 * How many times as long as without us it took them to do that: 1 is as long. Not above
 * SLOWDOWN_MAX; 0: they did not run, and nobody knows.
 *
 * It is of what they do: a thread that sleeps does nothing, and is not slower for being observed.
 * Of one that does a request in 1 ms and waits 9 ms for the next, a slowdown of 3 makes 3 ms of the
 * 1, and, where the next does not wait for that, nothing of the 10.
 */
double slowdown_of(const struct cost_span *c);

/* What it would have been if so many calls had been seen without a stop, and nothing else. */
double slowdown_of_calls(const struct cost_span *c, uint64_t calls);

/* What was done between two moments: the sums until the first, and those until the second. */
struct cost_span slowdown_between(const struct cost_span *first, const struct cost_span *second);

#endif
