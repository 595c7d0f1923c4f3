/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LIMITS_H
#define MPROF_CLI_LIMITS_H

#include <stdbool.h>

/*
 * Resource limits that we inherit are meant for the program: we must not use them up, nor be killed
 * because of them. So ours are raised as far as possible after it has been started. Open files: one
 * for each file that a program maps. Processor time: we work for every call of the program; if the
 * kernel would kill us for that, SIGXCPU comes earlier.
 */
void limits_raise(void);

/* Raise only the number of open files, if no program is started. */
void limits_raise_open_files(void);

/* How many descriptors it takes, besides those that are open. */
enum {
	LIMITS_TO_ASK = 3,   /* a session: a socket, and a directory that it is searched in */
	LIMITS_TO_LOOK = 13, /* a session's, or a look's, with the files that the smallest program
				maps */
};

/* Check early whether there are too few file descriptors: later failures would look as if they had
 * other reasons. @will_raise: their number will be raised as far as possible. 0, or a status: a
 * sentence has been printed. */
int limits_check(unsigned needed, bool will_raise);

#endif
