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
	bool mprof;		/* runs the program that we are, too */
	bool tracer_is_mprof;	/* and so does who traces it */
	bool tracer_is_alone;	/* and who made that tracer has gone, so that it is about to end */
	bool of_another;	/* somebody traces what another user has, which we may not */
	bool live_threads;	/* a thread that has not ended, even if the leader has */
};

struct target_facts target_look(pid_t pid);

/* Who traces one of its threads, if somebody does whom we are not; 0: nobody. */
pid_t target_tracer_of_a_thread(pid_t pid);

/**
 * Decide from plain facts, before anything is tried.
 * @self  our own process id
 */
enum target_problem target_judge(const struct target_facts *f, pid_t pid, pid_t self);

/* For a person: the cause and what to do. */
void target_why(enum target_problem problem, pid_t pid, const struct target_facts *f,
		struct advice *a);

/* Is the task traced, by this very process? */
bool is_traced_by_us(pid_t tid);

#endif
