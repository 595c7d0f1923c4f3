/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_STAT_H
#define MPROF_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Numbers of fields, as proc(5) counts them. */
enum {
	PROCSTAT_STATE = 3,
	PROCSTAT_FLAGS = 9,
	PROCSTAT_STARTTIME = 22,	/* ticks since the machine was started */
	PROCSTAT_STARTSTACK = 28,
	PROCSTAT_PROCESSOR = 39,
	PROCSTAT_EXIT_CODE = 52,
};

/* Where field @nth of the text of a /proc/PID/stat begins; NULL: it has no such field. @nth is at
 * least 3: the second field is the program's name, which may contain anything. */
const char *procstat_field(const char *text, unsigned nth);

/*
 * Is this the text of a thread that the kernel has made for itself in the process, a worker of
 * io_uring or vhost? It never runs the program's code, and a stop interrupts what it does for the
 * program. Both its flag, PF_IO_WORKER or PF_USER_WORKER in <linux/sched.h> of the kernel, and the
 * name that the kernel gives it: with earlier kernels these flags have other meanings, and any
 * thread can have the name.
 */
bool procstat_is_worker(const char *text);

/* The same of task @tid; false if it is gone. */
bool procstat_worker(pid_t tid);

/* The number in that field of a task; 0 if it is gone. */
uint64_t procstat_number(pid_t pid, unsigned nth);

/* Read from an open /proc/TID/schedstat how long the task has run, and has waited for a processor:
 * exact if it is stopped. False: it cannot be read. */
bool procstat_times(int schedstat, uint64_t *ran_ns, uint64_t *waited_ns);

/* How long a task has run by its schedstat, in nanoseconds; 0: not known. */
uint64_t procstat_ran(pid_t tid);

/* The stack pointer of a process's first thread when its program began: 0 if that is not known (the
 * process has gone, or may not be read). Source: proc(5), startstack of /proc/PID/stat. */
uint64_t start_stack(pid_t pid);

#endif
