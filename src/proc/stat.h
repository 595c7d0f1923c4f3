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

/* Where field @nth of the text of a /proc/PID/stat begins, 3 at least; NULL: it
 * has none. The second is the program's name, which may hold anything. */
const char *procstat_field(const char *text, unsigned nth);

/* The number in that field of a task; 0 if it is gone. */
uint64_t procstat_number(pid_t pid, unsigned nth);

/* Of an open /proc/TID/schedstat: for how long the task has run, and has waited for a processor; of
 * one that is stopped to the nanosecond. False: it is not told. */
bool procstat_times(int schedstat, uint64_t *ran_ns, uint64_t *waited_ns);

/* For how long a task has run, by that; 0: it is not told. */
uint64_t procstat_ran(pid_t tid);

/* Where the stack pointer of a process's first thread was when its program began: 0 if that is not
 * known (it is gone, or may not be asked). Source: proc(5), startstack of /proc/PID/stat. */
uint64_t start_stack(pid_t pid);

#endif
