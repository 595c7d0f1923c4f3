/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_OVER_H
#define MPROF_SESSION_OVER_H

#include "base/slowdown.h"

#include <stdbool.h>

/*
 * When observing costs more than somebody wants to pay: what it cost over the time in, a decision
 * out. No process, no clock.
 */

enum over_how {
	OVER_PAUSE,	/* leave the programs alone for a while, and then for twice as long ... */
	OVER_DETACH,
};

struct over_limit {
	double slowdown; /* above 1; 0: there is none */
	enum over_how how;
};

enum {
	OVER_SECONDS = 3,	/* it has to be over for so long */
	OVER_LONGEST_S = 3600,	/* no pause is longer */
	OVER_CALM_S = 60,	/* so long after one without another, and the next is short again */
	OVER_SAMPLES = 16,
};

/* From the beginning on until a moment. */
struct over_sample {
	uint64_t now_ns;
	struct cost_span cost;
	bool suspended; /* nothing is observed now, on whose account ever */
};

/* What is remembered from one sample to the next; zeroed in the beginning. */
struct over_judge {
	struct over_sample v[OVER_SAMPLES]; /* the oldest first */
	unsigned n;
	uint64_t pause_ns;	/* the last pause's; 0: there was none, or it is long ago */
	uint64_t until_ns;	/* the pause goes on until then; 0: there is none */
	uint64_t resumed_ns;	/* when it was over */
	double slowdown;	/* of the last seconds, when something was decided last */
};

enum over_decision { OVER_GO_ON, OVER_PAUSES, OVER_RESUMES, OVER_DETACHES };

/* What is to be done at the moment of @s, later than all before. */
enum over_decision over_decide(const struct over_limit *limit, struct over_judge *j,
			       const struct over_sample *s);

#endif
