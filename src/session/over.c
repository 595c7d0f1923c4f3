/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/over.h"

#include <string.h>

#define S UINT64_C(1000000000)

static const uint64_t span_ns = OVER_SECONDS * S;

/* Keep the newest of the samples that are older than the span: slowdown is measured from it. */
static void take(struct over_judge *j, const struct over_sample *s)
{
	unsigned gone = 0;

	while (gone + 1 < j->n && s->now_ns - j->v[gone + 1].now_ns >= span_ns)
		gone++;
	j->n -= gone;
	memmove(j->v, j->v + gone, j->n * sizeof *j->v);
	if (j->n < OVER_SAMPLES &&
	    (!j->n || s->now_ns - j->v[j->n - 1].now_ns >= span_ns / (OVER_SAMPLES - 2)))
		j->v[j->n++] = *s;
}

/* The first pause is so long that the limit holds on average over it and the span before it. */
static uint64_t next_pause(const struct over_limit *limit, const struct over_judge *j)
{
	double s = j->pause_ns ? (double)j->pause_ns / 1e9 * 2 :
				 OVER_SECONDS / (limit->slowdown - 1);

	s = s < 1 ? 1 : s > OVER_LONGEST_S ? OVER_LONGEST_S : s;
	return (uint64_t)(s * 1e9);
}

static enum over_decision decide_seen(const struct over_limit *limit, struct over_judge *j,
				      const struct over_sample *s)
{
	take(j, s);
	if (s->now_ns - j->v[0].now_ns < span_ns)
		return OVER_GO_ON;
	const struct cost_span last = slowdown_between(&j->v[0].cost, &s->cost);

	if (j->pause_ns && s->now_ns - j->resumed_ns >= OVER_CALM_S * S)
		j->pause_ns = 0;
	if (slowdown_of(&last) <= limit->slowdown)
		return OVER_GO_ON;
	j->slowdown = slowdown_of(&last);
	j->n = 0;
	if (limit->how == OVER_DETACH)
		return OVER_DETACHES;
	j->pause_ns = next_pause(limit, j);
	j->until_ns = s->now_ns + j->pause_ns;
	return OVER_PAUSES;
}

enum over_decision over_decide(const struct over_limit *limit, struct over_judge *j,
			       const struct over_sample *s)
{
	if (!limit->slowdown)
		return OVER_GO_ON;
	if (!j->until_ns && !s->suspended)
		return decide_seen(limit, j, s);
	j->n = 0;
	if (!j->until_ns || (s->suspended && s->now_ns < j->until_ns))
		return OVER_GO_ON;
	/* The pause is over, or the user has ended it early. */
	j->until_ns = 0;
	j->resumed_ns = s->now_ns;
	return s->suspended ? OVER_RESUMES : OVER_GO_ON;
}
