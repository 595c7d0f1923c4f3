/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_TASKS_H
#define MPROF_PROC_TASKS_H

#include <sys/types.h>

/*
 * The threads of a process, as the kernel lists them in /proc/PID/task. One that is created or ends
 * meanwhile may be among them or not; one that has ended is, until it has been waited for.
 */
struct proc_tasks {
	void *dir;	/* NULL: none are listed */
};

/* 0, or -errno: then @t lists none. */
int proc_tasks_open(struct proc_tasks *t, pid_t pid);

/* The same for all processes, by their pids. */
int proc_processes_open(struct proc_tasks *t);

/* The next one; 0: there are no more. */
pid_t proc_tasks_next(struct proc_tasks *t);

void proc_tasks_close(struct proc_tasks *t);

/* A thread of a process that has not ended, through which the process's memory and files can be
 * read: the leader, or another one if the leader has ended. 0: there is none. */
pid_t proc_tasks_living(pid_t pid);

#endif
