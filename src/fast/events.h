/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_EVENTS_H
#define MPROF_FAST_EVENTS_H

#include "breakpoints/engine.h"
#include "fast/nodes.h"
#include "fast/ring.h"
#include "fast/threads.h"

/*
 * From records of the ring to events: the task, the time, the result of the call, and the chain.
 * Uses only plain data and the host.
 */

/* Two moments by both clocks, between which the agent's ticks are interpolated. */
struct moments {
	uint64_t ticks[2], ns[2];
};

struct events {
	const struct engine_host *host;
	const struct engine_function *functions; /* by the function numbers of pads */
	size_t n_functions;
	struct nodes *nodes;
	const struct threads *threads;
	pid_t pid;
	/* Recent call sites of free, by a part of the address, and whether the allocator itself
	 * calls it there. */
	struct free_site {
		taddr ret;	/* 0: none */
		uint32_t function;
		bool by_allocator;
	} sites[512];
	struct moments moments;
	bool check;		/* compare chains with those unwound from copies of the stack */
	uint64_t last_ns, until_ns; /* earliest and latest time of the last event ... */
	uint64_t placed_ticks, placed_until_ticks; /* ... which are those of these ticks ... */
	bool placed;		/* ... if set since the drain began */
	uint64_t drained_ns;	/* all records in the ring were put before this time */
	uint64_t step_ticks;	/* a record was put at most so long after its ticks; 0: not known,
				   for not each event read the clock */
	uint64_t lost;		/* records that could not be counted: no memory, or damaged */
	uint64_t damaged;	/* of these, those that made no sense */
};

/* A drain is about to begin, at CLOCK_MONOTONIC @ns and the processor's clock @ticks. */
void events_now(struct events *v, uint64_t ticks, uint64_t ns);

/* For the same drain: what is in the ring was put before @drained_ns, each record at most
 * @step_ticks after its ticks; 0: that is not known. */
void events_bound(struct events *v, uint64_t drained_ns, uint64_t step_ticks);

/* The time in ns at which the agent's clock showed @ticks: between the two moments, and not before
 * the last event. */
uint64_t events_time(const struct events *v, uint64_t ticks);

/* The latest time in ns at which the event of @r can have happened: before the next RECORD_TIME,
 * and before the drain. */
uint64_t events_until(const struct events *v, const struct ring_record *r);

/* After how many events a thread should read the clock again, if @records came in @ns: after some
 * microseconds. */
uint32_t events_untimed(uint64_t records, uint64_t ns);

/* What is mapped has changed. */
void events_modules(struct events *v);

/* Announce records to the host; of type ring_expect, @events is a struct events. */
bool events_expect(void *events, const struct agent_record *records, unsigned n);

/* Report a record to the host as an event; of type ring_take, @events is a struct events. */
void events_take(void *events, const struct ring_record *r);

#endif
