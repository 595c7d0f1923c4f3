/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_COST_H
#define MPROF_SESSION_COST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What observing costs the programs, as far as it can be measured in the tracer: while the tracer
 * works at a stop, a tracee is stopped, so the tracer's processor time is time that the programs
 * have lost. The kernel's part of each stop, two context switches, comes on top. With a program
 * that only allocates, the tracer works for a third to a half of the elapsed time (less if other
 * processes compete for the processors) and the program runs for almost none of it.
 */
struct session_cost {
	uint64_t elapsed_ns;	/* since the session began */
	uint64_t worked_ns;	/* processor time of the tracing process */
	uint64_t calls;		/* requests and frees that were counted */
	bool trapped;		/* all calls are trapped: the fast engine sees none */
};

/* The part of the elapsed time that the tracer has worked, 0 to 1. */
double session_cost_share(const struct session_cost *c);

/* True if the session is old enough to judge and the tracer has worked for more than a quarter of
 * the time under traps: with the kernel's part, the programs lose about half of their time. */
bool session_cost_is_heavy(const struct session_cost *c);

/* An estimate for the fast engine with the same calls: the part of the total time (the calls, and
 * what the programs have had for themselves) that the calls would take, 0 to 1. */
double session_cost_of_fast(const struct session_cost *c);

/* A younger session is not judged. */
enum { SESSION_COST_S = 3 };

#endif
