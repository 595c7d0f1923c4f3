/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_UNATTACHABLE_H
#define MPROF_CLI_UNATTACHABLE_H

#include "attach/target.h"

/* Processes that cannot be attached to: a sentence for each reason, and the exit status. */

/* The state of a process, before anything is tried. */
enum target_problem target_at(pid_t pid, struct target_facts *f);

/* The same, if it is fine so far: whether another of its threads is traced. */
enum target_problem target_with_threads(pid_t pid, struct target_facts *f);

/* The exit status for a process with this problem. */
int target_status(enum target_problem p);

/* The reason, and what to do. */
void target_advise(enum target_problem p, pid_t pid, const struct target_facts *f,
		   struct advice *a);

/* Print why it cannot be done; @what: "attach to" or similar. Returns the status. */
int target_refuse(const char *what, enum target_problem p, pid_t pid, const struct target_facts *f);

/* The same after an attempt, with the -errno of tracer_attach(): the facts are read again, since
 * they may have changed before the attempt. */
int target_say_why_not(const char *what, pid_t pid, int err);

/* Say why the mappings of a process cannot be read; @err: -errno, or 0: the kernel reports no error
 * for a kernel thread or a zombie, which have none. Returns the status; 0: nothing is wrong, and
 * nothing was printed. */
int target_say_unreadable(pid_t pid, int err);

#endif
