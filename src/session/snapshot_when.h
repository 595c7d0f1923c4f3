/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SNAPSHOT_WHEN_H
#define MPROF_SESSION_SNAPSHOT_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Conditions on a process's memory, and when each of them comes true: figures over time in, a
 * decision out. No process, no clock.
 */

enum snapshot_of {
	SNAPSHOT_RSS,	/* resident bytes, as the kernel counts them */
	SNAPSHOT_LIVE,	/* requested and not freed */
	SNAPSHOT_GROWTH, /* by so much of the latter more than per_ns ago */
};

struct snapshot_when {
	const char *given; /* as somebody wrote it */
	enum snapshot_of of;
	uint64_t above;	/* bytes */
	uint64_t per_ns; /* of SNAPSHOT_GROWTH */
};

/* Of a process, at a moment. */
struct snapshot_figures {
	uint64_t now_ns;
	uint64_t rss; /* 0: not known */
	uint64_t live;
	bool unseen; /* nothing is watched: @live is not known */
};

/* Of the stretch that growth is about so many samples are kept. */
enum { SNAPSHOT_SAMPLES = 64 };

/* What is remembered between two looks at a condition; zeroed in the beginning. */
struct snapshot_judge {
	bool fired;	/* and the figure has not fallen since */
	struct snapshot_sample {
		uint64_t ns, live;
	} samples[SNAPSHOT_SAMPLES]; /* the oldest first */
	unsigned n;
};

/**
 * Has the condition come true? Once for each crossing: when it has, the figure must have fallen to
 * nine tenths of the limit, or below, before it can again. Of growth nothing is said before a whole
 * per_ns has been seen.
 * @f       moments in the order of time
 * @figure  what it was, if so
 */
bool snapshot_due(const struct snapshot_when *w, struct snapshot_judge *j,
		  const struct snapshot_figures *f, uint64_t *figure);

#endif
