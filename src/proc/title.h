/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_TITLE_H
#define MPROF_PROC_TITLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* So much is shown of what a process is called, in bytes with the terminating nought. */
#define TITLE_MAX 120

/**
 * What ps(1) shows of a process, harmless for a terminal, and cut with "..." if it is longer:
 * @cmdline is what /proc/PID/cmdline has, @n bytes, which the process may have written over as it
 *          likes.
 * False: there is nothing in it, and @title is empty.
 */
bool title_make(char title[TITLE_MAX], const char *cmdline, size_t n);

/* The same of process @pid as it is now. False: it has none (any more). */
bool title_of(char title[TITLE_MAX], pid_t pid);

/* What thread @tid of it is called (PR_SET_NAME), made harmless in the same way. */
bool title_of_thread(char title[TITLE_MAX], pid_t pid, pid_t tid);

#endif
