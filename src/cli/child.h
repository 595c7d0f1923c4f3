/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_CHILD_H
#define MPROF_CLI_CHILD_H

/* What happens to its standard error. */
enum child_errors {
	CHILD_ERRORS_DROPPED,
	CHILD_ERRORS_READ, /* read like its output */
};

/* A program that is run for its output. */
struct child {
	char *const *argv; /* found by PATH if the name has no slash */
	enum child_errors errors;
	unsigned limit_ms; /* it is killed if it has not ended by then */
	/* Called with each line, including the newline; may modify it. If it does not return 0,
	 * reading ends and the program is killed. Very long lines are cut. */
	int (*line)(void *ctx, char *line);
	void *ctx;
};

/**
 * Run the program with default signal handling, and read its output line by line.
 * @wstatus  set to its wait status
 * Returns 0, what line() returned, -ETIMEDOUT, or another -errno: it cannot be run. In any case it
 * has ended.
 */
int child_lines(const struct child *c, int *wstatus);

#endif
