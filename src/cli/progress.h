/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PROGRESS_H
#define MPROF_CLI_PROGRESS_H

/*
 * A line on a terminal that tells what takes so long: shown when a step has taken more than a
 * second, and gone when it is over. Nothing at all if standard error is no terminal.
 */

/* A step begins; an earlier one has ended. @what is kept, not copied: "naming what was seen". */
void progress_begin(const char *what);

/* The step is over. */
void progress_end(void);

#endif
