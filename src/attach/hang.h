/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_HANG_H
#define MPROF_ATTACH_HANG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A tracer that is alive and makes no progress: stopped by somebody, or stuck. With an engine that
 * does not trap, threads that find no room for an event wait for the tracer without a timeout. So a
 * tracer that hangs is killed, and the watchdog puts the programs right.
 */
struct journal;

/* The tracer is checked once a second. Checks are counted, and no clock is read: so the time for
 * which the machine was suspended, or the watcher itself stopped, does not count against the
 * tracer. */
enum { HANG_LOOKS = 10 };

struct hang {
	uint64_t beats;		/* of the tracer, at the last check */
	unsigned looks;		/* checks in a row at which it had done nothing while a thread
				   waited */
	uint64_t ran_ns;	/* its processor time at the first of these */
};

/* A tracer that does not get a processor does nothing either, but does not hang: one that is
 * runnable counts as hanging only after so much processor time without progress. */
#define HANG_RAN_NS UINT64_C(1000000000)

/* What is seen at a check. */
struct hang_seen {
	uint64_t beats;	  /* how often the tracer has taken what the programs report without a
			     stop */
	bool waiting;	  /* a thread waits for it to do that */
	bool wants_to_run; /* it is not asleep, and not stopped: it runs, or would if it could */
	uint64_t ran_ns;  /* its processor time */
};

/* True: it hangs. */
bool hang_judge(struct hang *h, const struct hang_seen *seen);

/* Check, and kill @tracer if it hangs. To be called once a second. */
void hang_look(struct hang *h, struct journal *g, pid_t tracer);

#endif
