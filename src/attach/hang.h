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
};

/* What is seen at a look: how often the tracer has taken what it is told, and whether somebody
 * waits for it to do that. True: it hangs. */
bool hang_judge(struct hang *h, uint64_t beats, bool waiting);

/* Look; end @tracer if it hangs. To be called once a second. */
void hang_look(struct hang *h, struct journal *g, pid_t tracer);

#endif
