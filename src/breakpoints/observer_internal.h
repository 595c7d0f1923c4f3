/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_OBSERVER_INTERNAL_H
#define MPROF_BREAKPOINTS_OBSERVER_INTERNAL_H

/* What the files of the observer share: trap_observer.c (what the tracer and the session call),
 * observer_engine.c (programs that cannot be observed as was requested). */

#include "breakpoints/trap_observer.h"

struct trap_observer {
	struct observer base;	/* must be first */
	struct tracer *tracer;
	struct watch_shared shared;
	const struct observer_sink *sink;
	void *ctx;
	bool observes;	/* it has begun to observe a program: others that follow were not requested,
			   but are made by it */
};

/* An image, kept with its address space. */
struct observed {
	struct watch *watch;
	void *image;	/* the session's */
	bool left;	/* the session has been told that its memory will soon be inaccessible */
};

static inline struct observed *observed_in(const struct address_space *space)
{
	return space ? space->user : NULL;
}

static inline struct observed *observed_of(const struct task *task)
{
	return observed_in(task->space);
}

/* Free what is kept for a space. */
void observer_forget(struct address_space *space);

/* A program cannot be observed. Returns false. */
bool observer_refuse(struct trap_observer *o, struct task *task, void *image, enum unobserved why,
		     const char *why_not);

/* The requested engine cannot observe the program of @task, as watch_refusal() tells; take
 * everything out of the program. Returns false. */
bool observer_refuse_engine(struct trap_observer *o, struct task *task, void *image);

/* A task of a program whose engine has changes to make with all tasks held; NULL: there is none. */
struct task *observer_next_to_arm(struct trap_observer *o);

/* All tasks are held: make those changes. */
void observer_arm_found(struct trap_observer *o);

#endif
