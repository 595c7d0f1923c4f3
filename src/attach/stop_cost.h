/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_STOP_COST_H
#define MPROF_ATTACH_STOP_COST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What a stop takes here and now, besides being served: by a call that is short. Between the trap
 * at its beginning and the one at its return a task does next to nothing of its own, so that what
 * passes from the one to the other is the price of a stop. It differs between machines by a factor
 * of five, and as much again with what else runs on them.
 *
 * Those of which one is seen now and then; no system call is made here.
 */
struct stop_cost {
	uint32_t own_ns;  /* of the task's own processor time */
	uint32_t away_ns; /* of the time that passes, from where it is let go until we know of the
			     next one */
	unsigned samples;
	pid_t tid;	  /* who has been let go from a stop, as follows; 0: nobody */
	uint64_t ran_ns;  /* its processor time by then */
	uint64_t went_ns; /* and when that was */
};

/* What it is taken for before anything has been seen. */
void stop_cost_init(struct stop_cost *c);

/* @tid is let go from a stop at which no call ended. */
void stop_cost_goes(struct stop_cost *c, pid_t tid, uint64_t ran_ns, uint64_t now_ns);

/* The next stop of anybody is @tid's. @ended: of a call that was seen to begin; @ran_ns, @came_ns:
 * its processor time, and when we knew of the stop. */
void stop_cost_comes(struct stop_cost *c, pid_t tid, bool ended, uint64_t ran_ns, uint64_t came_ns);

#endif
