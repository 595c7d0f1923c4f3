/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_OBSERVER_INTERNAL_H
#define MPROF_BREAKPOINTS_OBSERVER_INTERNAL_H

/* What the files of the observer share: trap_observer.c (what the tracer tells and the session
 * asks), observer_engine.c (programs that cannot be observed as was asked for). */

#include "breakpoints/trap_observer.h"

struct trap_observer {
	struct observer base;	/* must be first */
	struct tracer *tracer;
	struct watch_shared shared;
	const struct observer_sink *sink;
	void *ctx;
	bool observes;	/* it has begun to observe a program: what else comes is not what was
			   asked for, but what that does */
};

/* An image, kept with its address space. */
struct observed {
	struct watch *watch;
	void *image;	/* the session's */
	bool left;	/* the session has been told that its memory is about to go out of reach */
};

static inline struct observed *observed_in(const struct address_space *space)
{
	return space ? space->user : NULL;
}

static inline struct observed *observed_of(const struct task *task)
{
	return observed_in(task->space);
}

/* Keep no watch of a space any more. */
void observer_forget(struct address_space *space);

/* A program cannot be observed. Returns false. */
bool observer_refuse(struct trap_observer *o, struct task *task, void *image, enum unobserved why,
		     const char *why_not);

/* The engine that was asked for cannot do it, as watch_refusal() tells of the program of @task; all
 * is taken out of that. Returns false. */
bool observer_refuse_engine(struct trap_observer *o, struct task *task, void *image);

/* A task of a program whose engine has something to change that takes a hold; NULL: there is
 * none. */
struct task *observer_next_to_arm(struct trap_observer *o);

/* All are held: what has come to light while they ran is changed now. */
void observer_arm_found(struct trap_observer *o);

#endif
