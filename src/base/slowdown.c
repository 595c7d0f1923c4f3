/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/slowdown.h"

double slowdown_of(const struct cost_span *c)
{
	/* Of a program that only allocates 30 (bench/NOTES.md) to 60 on a machine full of others;
	 * of one that works between its calls the processor does half of it beside that. */
	enum { CALL_NS = 40 };
	const uint64_t calls_ns = c->calls * CALL_NS;
	double own = (double)c->ran_ns - (double)(c->taken_ns + calls_ns);

	/* Where hardly anything is left both are too rough to tell how little. */
	if (own < (double)c->ran_ns / SLOWDOWN_MAX)
		own = (double)c->ran_ns / SLOWDOWN_MAX;
	if (own <= 0)
		return 0;
	double slowdown = 1 + (double)(c->stopped_ns + calls_ns) / own;

	return slowdown < SLOWDOWN_MAX ? slowdown : SLOWDOWN_MAX;
}

struct cost_span slowdown_between(const struct cost_span *a, const struct cost_span *b)
{
	return (struct cost_span){ b->ran_ns - a->ran_ns, b->stopped_ns - a->stopped_ns,
				   b->taken_ns - a->taken_ns, b->calls - a->calls };
}
