/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_TOP_SIGNALS_H
#define MPROF_CLI_TOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Signals that ask mprof top to end: they set a flag and interrupt waits. */

/* Install their handlers. */
void top_await_signals(void);

/* Handle SIGWINCH ourselves: ncurses would accept any size, but counts columns with 16 bits. */
void top_await_resizes(void);

/* True if the size has changed since the last call. */
bool top_was_resized(void);

/* Restore the default handling, for the child that attaches. */
void top_default_signals(void);

/* True if a signal has come. */
bool top_told_to_end(void);

/* The same as a flag, for control_patience.stop. */
const volatile sig_atomic_t *top_end_flag(void);

/* Reset the flag: wait for the next signal. */
void top_await_next_signal(void);

#endif
