/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_UNHEARD_H
#define MPROF_CLI_UNHEARD_H

/*
 * Standard error while programs are traced. It may be a pipe that nobody reads, and whoever waits
 * for it while tasks are stopped has the program wait. So what cannot be written at once is kept,
 * as much as there is room for, and written when there is somebody to read it. What finds no room
 * is counted, and the count is told.
 */

/* From here on nothing waits; after signals_begin(). Called once. */
void unheard_begin(void);

/* Standard error is another file now. */
void unheard_changed(void);

/* Print whole lines, at once or later. */
void unheard_print(const char *lines);

/* Print what makes no sense later: a status line. At once or not at all. */
void unheard_try(const char *text);

/* Write what can be written of what has been kept. */
void unheard_flush(void);

/* In a save child: what has been kept is its parent's, who waits for it. */
void unheard_child(void);

/* The programs have been let go: from here on standard error is waited for, until a signal tells
 * us to end. */
void unheard_wait(void);

#endif
