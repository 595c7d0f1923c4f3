/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SNAPSHOT_WHEN_H
#define MPROF_SESSION_SNAPSHOT_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Conditions on a process's memory (--snapshot-when), and when each comes true: figures over time
 * in, a decision out. No process, no clock.
 */

enum snapshot_of {
	SNAPSHOT_RSS,	/* resident bytes, as the kernel counts them */
	SNAPSHOT_LIVE,	/* requested and not freed */
	SNAPSHOT_GROWTH, /* increase of live bytes within per_ns */
};

struct snapshot_when {
	const char *given; /* the condition as the user wrote it */
	enum snapshot_of of;
	uint64_t above;	/* bytes */
	uint64_t per_ns; /* of SNAPSHOT_GROWTH */
};

/* Figures of a process at a moment. */
struct snapshot_figures {
	uint64_t now_ns;
	uint64_t rss; /* 0: not known */
	uint64_t live;
	bool unseen; /* not observed now: @live is not known */
};

/* So many samples are kept over per_ns. */
enum { SNAPSHOT_SAMPLES = 64 };

/* State of a condition between two checks; zeroed in the beginning. */
struct snapshot_judge {
	bool fired;	/* true, and the figure has not fallen since */
	struct snapshot_sample {
		uint64_t ns, live;
	} samples[SNAPSHOT_SAMPLES]; /* oldest first */
	unsigned n;
};

/**
 * True when the condition comes true, once for each crossing: before it can come true again, the
 * figure must fall to nine tenths of the limit or below. Growth is not judged before a whole per_ns
 * has been seen.
 * @f       with now_ns later than at the last call
 * @figure  set to the value if true
 */
bool snapshot_due(const struct snapshot_when *w, struct snapshot_judge *j,
		  const struct snapshot_figures *f, uint64_t *figure);

#endif
