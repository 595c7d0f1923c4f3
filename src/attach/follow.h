/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_FOLLOW_H
#define MPROF_ATTACH_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A stop that is served on the processor on which it happened costs two context switches; served on
 * another one it costs two wakeups of idle processors more, and several times the time. So run
 * where the task runs, and make room for it: the kernel wakes a task where it ran last if only
 * SCHED_IDLE tasks run there. Nothing about the task itself is changed.
 *
 * The price: a SCHED_IDLE tracer waits as long as any other task wants that processor. Following
 * ends when too much time is lost that way, see follow_starves().
 */
struct follow;

/* NULL: no task can be followed. We are out of memory, or this kernel does not tell how long a task
 * waits for a processor, or our policy is not SCHED_OTHER, or we could not come back to it. */
struct follow *follow_new(void);
void follow_free(struct follow *f);

/* A task has stopped. Only a task that has made all of the last stops is followed. */
void follow_stopped(struct follow *f, pid_t tid);

/* True while a task is being followed: sleep in waitpid rather than spin, for it needs this
 * processor. */
bool follow_is_on(const struct follow *f);

struct follow_counts {
	uint64_t begun;		/* how often following began */
	uint64_t given_up;	/* ... and how often it was ended because others wanted the
				   processor */
};

/* All zero if @f is NULL. */
struct follow_counts follow_counts(const struct follow *f);

/* Return to SCHED_OTHER and to all processors; for work other than serving stops. */
void follow_leave(struct follow *f);

/* What has passed between two readings, in nanoseconds. */
struct follow_look {
	uint64_t waited;	/* the tracer was runnable, but did not run */
	uint64_t ran;		/* the followed task ran */
};

/**
 * Is the processor wanted by others? While the task runs the tracer waits for it, as it should; any
 * more time it waits for other tasks, and the followed task waits with it.
 */
bool follow_starves(const struct follow_look *l);

/* The processor a task ran on last, or -1. */
int follow_processor_of(pid_t tid);

#endif
