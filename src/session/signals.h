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
 * Signals of the tracing process. Handlers only set signals_attention, and the loop cannot go to
 * sleep without noticing it.
 */

/* Not 0: something other than a stop needs attention. For tracer_run(). */
extern volatile sig_atomic_t signals_attention;

/**
 * Allocate what signals_begin() needs. Programs started afterwards do not inherit it. Call this
 * before one is started, since it may fail. Returns 0, or -errno with a sentence in @e.
 */
int signals_prepare(struct error *e);

/**
 * Install the signal handlers of this process; call after signals_prepare(), before any stop is
 * served.
 * @tracer            detaches from its programs if we die of an internal error
 * @tell              reports an internal error
 * @end_on_interrupt  SIGINT and SIGQUIT end the session; otherwise they are left to the program
 */
void signals_begin(struct tracer *tracer, bool end_on_interrupt, say_fn *tell);

/* Reset signals_attention: call this before checking what there is to do. */
void signals_attended(void);

/* The loop is over: signals no longer interrupt system calls. */
void signals_end(void);

/* After detaching: let a signal that asks us to end interrupt a blocking open or write (of a pipe,
 * for example). */
void signals_interrupt(void);

/* After that, while profiles are written: the first signal that would end us prints a message, and
 * the same signal once more ends us at once. @g, the journal, is left in order. */
void signals_hurry(struct journal *g);

/* Undo signals_hurry(). */
void signals_hurry_no_more(void);

/* The signal that asked us to end, or 0. */
int serve_told(void);

/* After the loop: sleep until something needs attention, and reset it as signals_attended()
 * does. */
void signals_wait(void);

/* Forget the signal that asked us to end; the next one counts anew. */
void signals_obeyed(void);

#endif
