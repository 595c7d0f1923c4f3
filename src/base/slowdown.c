/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/slowdown.h"

/* The cost of a call that is seen without a stop: in a program that only allocates 30
 * (bench/NOTES.md), to 60 on a busy machine; in one that works between its calls the processor does
 * half of it in parallel with that. */
enum { CALL_NS = 40 };

/* The part of the time they ran that was their own, in nanoseconds. Where hardly anything would be
 * left, our part is not known exactly enough: at least 1/LEAST is taken to be their own. */
static double own_of(const struct cost_span *c)
{
	enum { LEAST = 20 };
	double ran = (double)c->ran_ns, own = ran - (double)(c->taken_ns + c->calls * CALL_NS);

	return own < ran / LEAST ? ran / LEAST : own;
}

static double slowdown_by(double own, uint64_t lost_ns)
{
	double slowdown = own > 0 ? 1 + (double)lost_ns / own : 0;

	return slowdown < SLOWDOWN_MAX ? slowdown : SLOWDOWN_MAX;
}

double slowdown_of(const struct cost_span *c)
{
	return slowdown_by(own_of(c), c->stopped_ns + c->calls * CALL_NS);
}

double slowdown_of_calls(const struct cost_span *c, uint64_t calls)
{
	return slowdown_by(own_of(c), calls * CALL_NS);
}

struct cost_span slowdown_between(const struct cost_span *a, const struct cost_span *b)
{
	return (struct cost_span){ b->ran_ns - a->ran_ns, b->stopped_ns - a->stopped_ns,
				   b->taken_ns - a->taken_ns, b->calls - a->calls };
}
