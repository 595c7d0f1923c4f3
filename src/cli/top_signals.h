/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_TOP_SIGNALS_H
#define MPROF_CLI_TOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* The signals that end mprof top: they ask it to, and wake it. */

/* From now on they do. */
void top_await_signals(void);

/* From now on the terminal's other sizes are ours to see: ncurses would take any, and counts
 * columns with 16 bits. */
void top_await_resizes(void);

/* Has it got another one since this was asked last? */
bool top_was_resized(void);

/* What they did before, for a process that is ours and no top. */
void top_default_signals(void);

/* Has one come? */
bool top_told_to_end(void);

/* The same for who waits elsewhere. */
const volatile sig_atomic_t *top_end_flag(void);

/* Forget it: the next one counts. */
void top_await_next_signal(void);

#endif
