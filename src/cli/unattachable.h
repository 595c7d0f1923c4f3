/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_UNATTACHABLE_H
#define MPROF_CLI_UNATTACHABLE_H

#include "attach/target.h"

/* Processes that cannot be had: a sentence for each reason, and the command's exit status. */

/* How things are with a process, before anything is tried. */
enum target_problem target_at(pid_t pid, struct target_facts *f);

/* The same of one that is fine so far, if somebody traces one of its other threads. */
enum target_problem target_with_threads(pid_t pid, struct target_facts *f);

/* The exit status of a command that is about a process which cannot be had. */
int target_status(enum target_problem p);

/* Why, and what to do. */
void target_advise(enum target_problem p, pid_t pid, const struct target_facts *f,
		   struct advice *a);

/* Print why it cannot be done, @what being "attach to" or the like. Returns the status. */
int target_refuse(const char *what, enum target_problem p, pid_t pid, const struct target_facts *f);

/* The same when it has been tried, with -errno of tracer_attach(): looked at again, for the facts
 * may have changed between the first look and the try. */
int target_say_why_not(const char *what, pid_t pid, int err);

/* What keeps us from telling what is mapped in a process, @err being -errno of the reading, or 0: a
 * kernel thread and a zombie have nothing mapped, and that is no error to the kernel. Returns the
 * status; 0: nothing is in the way, and nothing was printed. */
int target_say_unreadable(pid_t pid, int err);

#endif
