/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_EVENTS_H
#define MPROF_FAST_EVENTS_H

#include "breakpoints/engine.h"
#include "fast/nodes.h"
#include "fast/ring.h"
#include "fast/threads.h"

/*
 * From records of the ring to events: who, when, what came of the call, and by which chain. A
 * function over plain data and the host.
 */

/* Two moments by both clocks, between which the agent's ticks are placed. */
struct moments {
	uint64_t ticks[2], ns[2];
};

struct events {
	const struct engine_host *host;
	const struct engine_function *functions; /* by the numbers that pads tell */
	size_t n_functions;
	struct nodes *nodes;
	const struct threads *threads;
	pid_t pid;
	/* Places that free was called from lately, by a part of the address, and whether it was the
	 * allocator itself. */
	struct free_site {
		taddr ret;	/* 0: none */
		uint32_t function;
		bool by_allocator;
	} sites[512];
	struct moments moments;
	bool check;		/* compare chains with what copies of the stack tell */
	uint64_t last_ns, until_ns; /* when the event before was, and at the latest ... */
	uint64_t placed_ticks, placed_until_ticks; /* ... which is so of these ticks ... */
	bool placed;		/* ... since the drain has begun */
	uint64_t drained_ns;	/* all that is in the ring by now had been put by then */
	uint64_t step_ticks;	/* so long after a record's ticks it was put at the latest; 0: it
				   is not known, not each looked at the clock */
	uint64_t lost;		/* records that could not be counted: no memory, or */
	uint64_t damaged;	/* of these, that made no sense */
};

/* A drain is about to begin: it is @ns now, and @ticks by the processor's clock. */
void events_now(struct events *v, uint64_t ticks, uint64_t ns);

/* Of the same drain: what is in the ring was put by @drained_ns, each record not later than
 * @step_ticks after its ticks; 0: that is not known. */
void events_bound(struct events *v, uint64_t drained_ns, uint64_t step_ticks);

/* When the agent's clock showed @ticks: between the two moments, and not before the last event. */
uint64_t events_time(const struct events *v, uint64_t ticks);

/* When what @r tells of had happened at the latest: each look at the clock is put before what
 * comes behind it, and all of it before the drain. */
uint64_t events_until(const struct events *v, const struct ring_record *r);

/* After how many events a thread should look at the clock, if @records came in @ns: some
 * microseconds' worth of them. */
uint32_t events_untimed(uint64_t records, uint64_t ns);

/* What is mapped has changed. */
void events_modules(struct events *v);

/* Tell the host of what is to come; of type ring_expect, @events is a struct events. */
bool events_expect(void *events, const struct agent_record *records, unsigned n);

/* Tell the host of a record; of type ring_take, @events is a struct events. */
void events_take(void *events, const struct ring_record *r);

#endif
