/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/slowdown.h"

double slowdown_of(const struct cost_span *c)
{
	/* make bench, a bare stop: what the program's own processor time has of each, and what ours
	 * has of it between two services. */
	enum { STOP_OWN_NS = 2500, STOP_OURS_NS = 2000, CALL_NS = 150 };
	const double taken = (double)c->stops * STOP_OWN_NS + (double)c->calls * CALL_NS;
	double own = (double)c->ran_ns - taken;

	/* Where hardly anything is left both are too rough to tell how little. */
	if (own < (double)c->ran_ns / SLOWDOWN_MAX)
		own = (double)c->ran_ns / SLOWDOWN_MAX;
	if (own <= 0)
		return 0;
	const double lost = taken + (double)c->stops * STOP_OURS_NS + (double)c->stopped_ns;
	double slowdown = 1 + lost / own;

	return slowdown < SLOWDOWN_MAX ? slowdown : SLOWDOWN_MAX;
}

struct cost_span slowdown_between(const struct cost_span *a, const struct cost_span *b)
{
	return (struct cost_span){ b->ran_ns - a->ran_ns, b->stopped_ns - a->stopped_ns,
				   b->stops - a->stops, b->calls - a->calls };
}
