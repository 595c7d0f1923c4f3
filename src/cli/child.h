/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_CHILD_H
#define MPROF_CLI_CHILD_H

/* What becomes of what it says on standard error. */
enum child_errors {
	CHILD_ERRORS_DROPPED,
	CHILD_ERRORS_READ, /* as what it prints */
};

/**
 * Run a program, found by PATH if its name has no slash, and have each line that it prints.
 * @line     told each, with its end; it may write to it. What is not 0 ends the reading
 * @wstatus  set to how it ended, as waitpid(2) tells
 * Returns 0, what @line has returned, or -errno: it cannot be run.
 */
int child_lines(char *const argv[], enum child_errors errors, int (*line)(void *ctx, char *line),
		void *ctx, int *wstatus);

#endif
