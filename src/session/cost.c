/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/cost.h"

double session_cost_share(const struct session_cost *c)
{
	double share = c->elapsed_ns ? (double)c->worked_ns / (double)c->elapsed_ns : 0;

	return share < 1 ? share : 1;
}

bool session_cost_is_heavy(const struct session_cost *c)
{
	return c->trapped && c->elapsed_ns >= SESSION_COST_S * UINT64_C(1000000000) &&
	       session_cost_share(c) > 0.25;
}

double session_cost_of_fast(const struct session_cost *c)
{
	enum { CALL_NS = 150 }; /* make bench: half of what it adds to a pair */
	double left = (1 - session_cost_share(c)) * (double)c->elapsed_ns;
	double takes = (double)c->calls * CALL_NS;

	return left + takes > 0 ? takes / (left + takes) : 0;
}

double session_cost_slowdown(const struct cost_span *c)
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
