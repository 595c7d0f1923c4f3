/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_FOLLOW_H
#define MPROF_ATTACH_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A stop that is answered on the processor on which it happened is two context switches; answered
 * on another one it is two interrupts of idle processors more, several times as dear. So go where
 * the task runs, and make room for it: the kernel wakes a task where it ran last if nobody but
 * SCHED_IDLE tasks run there. Nothing about the task itself is changed.
 *
 * The price: who is SCHED_IDLE waits as long as anybody else wants that processor. A watch on the
 * time that is lost so ends it, see follow_starves().
 */
struct follow;

/* NULL: nobody can be followed. We are out of memory, or this kernel does not tell how long one
 * waits for a processor, or we have another policy than the ordinary one or could not come back to
 * it. */
struct follow *follow_new(void);
void follow_free(struct follow *f);

/* A task has stopped. Only one that has made all of the last stops is followed. */
void follow_stopped(struct follow *f, pid_t tid);

/* True while it is being followed: sleep, it is on this processor. */
bool follow_is_on(const struct follow *f);

struct follow_counts {
	uint64_t begun;		/* so often a task was followed from then on */
	uint64_t given_up;	/* ... and so often not any more, for others wanted the processor */
};

/* All zero of a NULL. */
struct follow_counts follow_counts(const struct follow *f);

/* Be an ordinary process again, which may run anywhere; for work that is not between two stops. */
void follow_leave(struct follow *f);

/* What has passed between two looks, in nanoseconds. */
struct follow_look {
	uint64_t waited;	/* the tracer wanted to run, but another one did */
	uint64_t ran;		/* the task that is followed ran */
};

/**
 * Is the processor wanted by others? While the task runs the tracer waits for it, as it should; any
 * longer it waits for strangers, and the task waits with it.
 */
bool follow_starves(const struct follow_look *l);

/* The processor a task ran on last, or -1. */
int follow_processor_of(pid_t tid);

#endif
