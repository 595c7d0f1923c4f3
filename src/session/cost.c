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
	enum { CALL_NS = 150 }; /* from make bench: half of what it adds to a malloc/free pair */
	double left = (1 - session_cost_share(c)) * (double)c->elapsed_ns;
	double takes = (double)c->calls * CALL_NS;

	return left + takes > 0 ? takes / (left + takes) : 0;
}
