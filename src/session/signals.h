/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SIGNALS_H
#define MPROF_SESSION_SIGNALS_H

#include "attach/journal.h"
#include "attach/tracer.h"
#include "base/error.h"
#include "base/say.h"

#include <signal.h>
#include <stdbool.h>

/*
 * What signals do to the process that traces: each of them only asks for attention, and none can
 * come too late for the loop to see it before it sleeps.
 */

/* Not 0: something other than a stop wants to be looked at. For tracer_run(). */
extern volatile sig_atomic_t signals_attention;

/**
 * Take from the kernel what signals_begin() needs; no program that is started afterwards has
 * anything of it. Call it before one is started, for this may fail. Returns 0 or -errno.
 */
int signals_prepare(struct error *e);

/**
 * Change what signals do to this process; call before anything is to be served, and after
 * signals_prepare().
 * @tracer            is let go of its programs if we are to die of an error of our own
 * @tell              how an error of our own is told
 * @end_on_interrupt  SIGINT and SIGQUIT end the session, not the program alone
 */
void signals_begin(struct tracer *tracer, bool end_on_interrupt, say_fn *tell);

/* Whoever asked for attention has it now: call before looking at what there is to be done. */
void signals_attended(void);

/* The loop is over: system calls are not ended by signals any more. */
void signals_end(void);

/* The programs have been let go: who waits for a file from here on, a pipe perhaps, is ended by a
 * signal that tells us to end. */
void signals_interrupt(void);

/* After that, while what was profiled is written: a signal that would end us says so, and the same
 * once more ends us at once, of that signal, with @g left in good order. */
void signals_hurry(struct journal *g);

/* Signals do what they did before signals_hurry(). */
void signals_hurry_no_more(void);

/* The signal that told us to end, or 0. */
int serve_told(void);

/* After the loop: sleep until somebody wants attention. He has it then, as by
 * signals_attended(). */
void signals_wait(void);

/* The signal that told us to end has been obeyed: the next one is another. */
void signals_obeyed(void);

#endif
