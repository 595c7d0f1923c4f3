/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_TARGET_H
#define MPROF_ATTACH_TARGET_H

#include "base/advice.h"

#include <stdbool.h>
#include <sys/types.h>

/* Why a process cannot be attached to. */
enum target_problem {
	TARGET_FINE,
	TARGET_NOT_THERE,
	TARGET_ZOMBIE,
	TARGET_KERNEL_THREAD,
	TARGET_TRACED,		/* somebody else traces it */
	TARGET_NOT_PERMITTED,
	TARGET_OURSELVES,
	TARGET_UNSUPPORTED,	/* not a 64-bit program of this machine */
	TARGET_RESTLESS,	/* its threads end before they can be seized */
	TARGET_IN_PARENT,	/* it runs in its parent's memory: vfork(2) */
};

/* What /proc/PID/status and /proc/PID/stat tell of a process, as plain data. */
struct target_facts {
	bool exists;
	char state;		/* R, S, D, T, t, Z, X */
	pid_t tgid, tracer;
	uid_t uid;
	bool kernel_thread;
	bool mprof;		/* runs the same program as we do */
	bool tracer_is_mprof;	/* its tracer does */
	bool tracer_is_alone;	/* and that tracer's parent has gone, so that it is about to end */
	bool of_another;	/* it has a tracer, and belongs to another user: we may not trace
				   it */
	bool live_threads;	/* it has a thread that has not ended, even if the leader has */
};

/* Read them; exists is false if there is no such process. */
struct target_facts target_look(pid_t pid);

/* The tracer of one of its threads, other than ourselves; 0: none. */
pid_t target_tracer_of_a_thread(pid_t pid);

/**
 * Decide from plain facts, before anything is tried.
 * @self  our own process id
 */
enum target_problem target_judge(const struct target_facts *f, pid_t pid, pid_t self);

/* Set the cause and what to do, for a person. */
void target_why(enum target_problem problem, pid_t pid, const struct target_facts *f,
		struct advice *a);

/* Is the task a tracee of this process? */
bool is_traced_by_us(pid_t tid);

#endif
