/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_HANG_H
#define MPROF_ATTACH_HANG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A tracer that lives and does not look: stopped by somebody, or stuck. With an engine that does
 * not trap, threads that find no room to tell something wait for it, without end. So they are not
 * left waiting for long.
 */
struct journal;

/* It is looked once a second. Looks are counted, and no clock is read: neither a suspended machine
 * nor a watcher that was stopped itself makes a long time of one in which the tracer did
 * nothing. */
enum { HANG_LOOKS = 10 };

struct hang {
	uint64_t beats;		/* of the tracer, when it was looked last */
	unsigned looks;		/* so often it had done nothing while somebody waited */
	uint64_t ran_ns;	/* its processor time at the first of these */
};

/* One that others keep from its processor does nothing either, and does not hang: it has to have
 * run for so long and done nothing. */
#define HANG_RAN_NS UINT64_C(1000000000)

/* What is seen at a look. */
struct hang_seen {
	uint64_t beats;	  /* how often the tracer has taken what it is told */
	bool waiting;	  /* somebody waits for it to do that */
	bool wants_to_run; /* it is not asleep, and not stopped: it runs, or would if it could */
	uint64_t ran_ns;  /* its processor time */
};

/* True: it hangs. */
bool hang_judge(struct hang *h, const struct hang_seen *seen);

/* Look; end @tracer if it hangs. To be called once a second. */
void hang_look(struct hang *h, struct journal *g, pid_t tracer);

#endif
