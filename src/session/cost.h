/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_COST_H
#define MPROF_SESSION_COST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What observing costs the programs, as far as we can see it from our own side: while we work at a
 * stop somebody is stopped, so the part of the time that we have worked is a part of it that they
 * have lost. What the kernel takes for each stop, two switches, comes on top: with a program that
 * does nothing but allocate we have worked for a third to a half of the time, for less than that
 * where others want the processors, too, and the program for next to nothing of it.
 */
struct session_cost {
	uint64_t elapsed_ns;	/* since the session began */
	uint64_t worked_ns;	/* of a processor's time, by the tracing process itself */
	uint64_t calls;		/* requests and frees that were counted */
	bool trapped;		/* by traps alone: none is seen by an engine */
};

/* 0 to 1. */
double session_cost_share(const struct session_cost *c);

/* It has gone on for long enough to say so, and traps have kept us busy for a quarter of the time:
 * with the kernel's part about half of it is lost. */
bool session_cost_is_heavy(const struct session_cost *c);

/* What the fast engine would take for the same calls: a part of the time that they and what we have
 * left to the program would take then. */
double session_cost_of_fast(const struct session_cost *c);

/* A session that is younger has no say in it. */
enum { SESSION_COST_S = 3 };

#endif
