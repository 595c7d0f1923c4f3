/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PROGRESS_H
#define MPROF_CLI_PROGRESS_H

/*
 * A line on the terminal that says which step takes long: shown when it has taken more than a
 * second, and removed when it is over. Nothing is shown if standard error is no terminal.
 */

/* A step begins, and the previous one ends. @what is not copied: "naming what was seen". */
void progress_begin(const char *what);

/* The step is over. */
void progress_end(void);

#endif
