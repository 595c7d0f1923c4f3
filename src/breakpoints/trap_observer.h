/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_TRAP_OBSERVER_H
#define MPROF_BREAKPOINTS_TRAP_OBSERVER_H

#include "breakpoints/watch.h"
#include "observer.h"

/*
 * The observer that traces: joins process control, whose stops it serves, with a watch for each
 * address space.
 */
struct trap_observer;

/**
 * @sink, @ctx, @rules  outlive it
 * @journal  may be NULL
 * Returns NULL: out of memory.
 */
struct trap_observer *trap_observer_new(const struct observer_sink *sink, void *ctx,
					struct rules *rules, struct journal *journal);
/* All programs have been let go, or have ended. NULL is fine. */
void trap_observer_free(struct trap_observer *o);

/* What the session sees of it; and back to the observer itself. */
struct observer *trap_observer_base(struct trap_observer *o);
struct trap_observer *trap_observer_of(struct observer *base);

/* The tracer: to begin, to wait and to let go. */
struct tracer *trap_observer_tracer(struct trap_observer *o);

/* What all programs it watches share; to be set up before the first of them. */
struct watch_shared *trap_observer_shared(struct trap_observer *o);

#endif
