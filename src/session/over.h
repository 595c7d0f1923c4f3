/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_OVER_H
#define MPROF_SESSION_OVER_H

#include "base/slowdown.h"

#include <stdbool.h>

/*
 * What to do when observing costs more than the user allows: cost over time in, a decision out. No
 * process, no clock.
 */

enum over_how {
	OVER_PAUSE,	/* stop observing for a while, and then for twice as long ... */
	OVER_DETACH,
};

struct over_limit {
	double slowdown; /* above 1; 0: no limit */
	enum over_how how;
};

enum {
	OVER_SECONDS = 3,	/* the limit must be exceeded for so long */
	OVER_LONGEST_S = 3600,	/* longest pause */
	OVER_CALM_S = 60,	/* so long after a pause the next one is short again */
	OVER_SAMPLES = 16,
};

/* The cost from the start of the session until a moment. */
struct over_sample {
	uint64_t now_ns;
	struct cost_span cost;
	bool suspended; /* nothing is observed now, whoever asked for that */
};

/* State between samples; zeroed in the beginning. */
struct over_judge {
	struct over_sample v[OVER_SAMPLES]; /* oldest first */
	unsigned n;
	uint64_t pause_ns;	/* length of the last pause; 0: none, or long ago */
	uint64_t until_ns;	/* end of the current pause; 0: none */
	uint64_t resumed_ns;	/* when the last pause ended */
	double slowdown;	/* measured over the span before the last decision */
};

enum over_decision { OVER_GO_ON, OVER_PAUSES, OVER_RESUMES, OVER_DETACHES };

/* What to do at the moment of @s, which is later than that of all samples before. */
enum over_decision over_decide(const struct over_limit *limit, struct over_judge *j,
			       const struct over_sample *s);

#endif
