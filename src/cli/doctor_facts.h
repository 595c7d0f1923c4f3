/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_DOCTOR_FACTS_H
#define MPROF_CLI_DOCTOR_FACTS_H

#include "doctor/judge.h"

/* Reads facts from /proc and the file system, and has them judged. Changes nothing. */

/* @not_permitted: the status if tracing is forbidden altogether */
void doctor_look_at_machine(struct findings *f, int not_permitted);

/* False: even a program that we start could not be traced, and there is a finding. */
bool doctor_may_trace_children(struct findings *f, int not_permitted);

/* @tid: a thread that has not ended. */
void doctor_look_at_process(struct findings *f, pid_t pid, pid_t tid);

/* Why the agent could not be injected into a process; @pid 0: into a program to be started. NULL:
 * it could be. May return @why. */
const char *doctor_fast_refusal(pid_t pid, struct error *why);

/* @file: what is executed in the end; for a script @path, its interpreter. False: it cannot be
 * read, and nothing else can be checked. */
bool doctor_look_at_program(struct findings *f, const char *path, const char *file);

#endif
