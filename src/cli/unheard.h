/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_UNHEARD_H
#define MPROF_CLI_UNHEARD_H

/*
 * Standard error while programs are traced. It may be a pipe that nobody reads: if we wait for it
 * while tasks are stopped, the program waits, too. So what cannot be written at once is kept, up to
 * a limit, and written when there is a reader. Lines beyond the limit are counted, and the count is
 * printed.
 */

/* From here on writes do not block. Call it once, after signals_begin(). */
void unheard_begin(void);

/* Standard error has been redirected. */
void unheard_changed(void);

/* Print whole lines, now or later. */
void unheard_print(const char *lines);

/* Print something that is useless later, such as a status line: now or not at all. */
void unheard_try(const char *text);

/* Write as much as possible of what was kept. */
void unheard_flush(void);

/* In a save child: discard what was kept, for the parent writes it. */
void unheard_child(void);

/* After detaching: from here on writes wait for a reader, until a signal asks us to end. */
void unheard_wait(void);

#endif
