/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_STOP_COST_H
#define MPROF_ATTACH_STOP_COST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What a stop costs on this machine now, apart from being served, measured at short calls. Between
 * the trap at a call's entry and the one at its return a task does next to nothing of its own, so
 * the time between them is the cost of a stop. It differs between machines by a factor of five, and
 * by as much again with what else runs on them.
 *
 * Plain data: the tracer takes a sample now and then. No system call is made here.
 */
struct stop_cost {
	uint32_t own_ns;  /* of the task's own processor time */
	uint32_t away_ns; /* of elapsed time, from when the task is resumed until we know of its
			     next stop */
	unsigned samples;
	pid_t tid;	  /* the task that has been resumed from a stop, for a sample; 0: none */
	uint64_t ran_ns;  /* its processor time at that moment */
	uint64_t went_ns; /* and when it was resumed */
};

/* The values assumed before there are samples. */
void stop_cost_init(struct stop_cost *c);

/* @tid is resumed from a stop at which no call ended: begin a sample. */
void stop_cost_goes(struct stop_cost *c, pid_t tid, uint64_t ran_ns, uint64_t now_ns);

/* The next stop of any task is @tid's: end the sample. @ended: the stop is the return of a call
 * that was seen to begin; @ran_ns, @came_ns: its processor time, and when we knew of the stop. */
void stop_cost_comes(struct stop_cost *c, pid_t tid, bool ended, uint64_t ran_ns, uint64_t came_ns);

#endif
