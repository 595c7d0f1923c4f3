/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_CHILD_H
#define MPROF_CLI_CHILD_H

/* What becomes of what it says on standard error. */
enum child_errors {
	CHILD_ERRORS_DROPPED,
	CHILD_ERRORS_READ, /* as what it prints */
};

/* A program that is to be run for what it prints. */
struct child {
	char *const *argv; /* found by PATH if its name has no slash */
	enum child_errors errors;
	unsigned limit_ms; /* it is killed when it has not ended by then */
	/* Told each line, with its end; it may write to it. What is not 0 ends the reading, and the
	 * program. A line of more than some pages is cut. */
	int (*line)(void *ctx, char *line);
	void *ctx;
};

/**
 * Run it, with all signals as they are by default, and have each line that it prints.
 * @wstatus  set to how it ended, as waitpid(2) tells
 * Returns 0, what line() has returned, -ETIMEDOUT, or another -errno: it cannot be run. It has
 * ended in any case.
 */
int child_lines(const struct child *c, int *wstatus);

#endif
