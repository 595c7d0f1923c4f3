/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_TITLE_H
#define MPROF_PROC_TITLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How much is shown of a process's title, in bytes with the terminating NUL. */
#define TITLE_MAX 120

/**
 * What ps(1) shows of a process, harmless for a terminal, and cut with "..." if it is longer.
 * @cmdline  the contents of /proc/PID/cmdline, @n bytes, which the process may have overwritten
 *           with anything
 * False: there is nothing in it, and @title is empty.
 */
bool title_make(char title[TITLE_MAX], const char *cmdline, size_t n);

/* The same of process @pid as it is now. False: it has none (any more). */
bool title_of(char title[TITLE_MAX], pid_t pid);

/* The name of its thread @tid (PR_SET_NAME), made harmless in the same way. */
bool title_of_thread(char title[TITLE_MAX], pid_t pid, pid_t tid);

#endif
