/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_CHILD_H
#define MPROF_CLI_CHILD_H

#include <stdbool.h>

/**
 * Run a program, found by PATH if its name has no slash, and have each line that it prints.
 * @quiet  what it says on standard error goes nowhere
 * @line   told each, with its end; it may write to it. What is not 0 ends the reading
 * Returns 0, however it ended, what @line has returned, or -errno: it cannot be run.
 */
int child_lines(char *const argv[], bool quiet, int (*line)(void *ctx, char *line), void *ctx);

#endif
