/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_TRAP_OBSERVER_H
#define MPROF_BREAKPOINTS_TRAP_OBSERVER_H

#include "breakpoints/watch.h"
#include "observer.h"

/*
 * The observer that traces: it serves the stops of process control, with a watch for each address
 * space.
 */
struct trap_observer;

/**
 * @sink, @ctx, @rules  outlive it
 * @journal  may be NULL
 * Returns NULL: out of memory.
 */
struct trap_observer *trap_observer_new(const struct observer_sink *sink, void *ctx,
					struct rules *rules, struct journal *journal);
/* All programs have been detached, or have ended. NULL is fine. */
void trap_observer_free(struct trap_observer *o);

/* The observer as the session knows it; and back. */
struct observer *trap_observer_base(struct trap_observer *o);
struct trap_observer *trap_observer_of(struct observer *base);

/* The tracer, for launching, attaching and detaching. It belongs to the observer. */
struct tracer *trap_observer_tracer(struct trap_observer *o);

/* What all watched programs share; to be set up before the first of them. It belongs to the
 * observer. */
struct watch_shared *trap_observer_shared(struct trap_observer *o);

#endif
