/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_DOCTOR_FACTS_H
#define MPROF_CLI_DOCTOR_FACTS_H

#include "doctor/judge.h"

/* Facts that /proc and the file system tell, judged: lines for each. Nothing is touched. */

/* @not_permitted: the status for what forbids to trace anything */
void doctor_look_at_machine(struct findings *f, int not_permitted);

/* False: what we start ourselves could not be traced either, and there is a line for it. */
bool doctor_may_trace_children(struct findings *f, int not_permitted);

/* @tid: a thread of it that has not ended. */
void doctor_look_at_process(struct findings *f, pid_t pid, pid_t tid);

/* Why the fast engine could put nothing into a process; 0: into one that is to be begun. NULL: it
 * could. May be put into @why. */
const char *doctor_fast_refusal(pid_t pid, struct error *why);

/* @file: what is executed in the end, of a script @path its interpreter. False: it cannot be read,
 * and nothing more can be told. */
bool doctor_look_at_program(struct findings *f, const char *path, const char *file);

#endif
