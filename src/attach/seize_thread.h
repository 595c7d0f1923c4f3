/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SEIZE_THREAD_H
#define MPROF_ATTACH_SEIZE_THREAD_H

#include "attach/tracer_internal.h"

#include <signal.h>
#include <time.h>

/* An alarm that interrupts only PTRACE_SEIZE, which may wait for what waits for us. */
struct seize_alarm {
	timer_t timer;
	struct sigaction was;
	sigset_t mask;
};

/* Threads can be seized from here on, until seize_end(). 0 or -errno. */
int seize_begin(struct tracer *t, struct seize_alarm *a);
void seize_end(struct seize_alarm *a);

/* Seize thread @tid of process @tgid, and give it a task. 0, or -errno of PTRACE_SEIZE; -ENOMEM: it
 * may be seized, and is not followed. */
int seize_thread(struct tracer *t, pid_t tid, pid_t tgid);

#endif
