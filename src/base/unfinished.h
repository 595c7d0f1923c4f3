/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_UNFINISHED_H
#define MPROF_BASE_UNFINISHED_H

#include <sys/types.h>

/*
 * A file that is to replace another one has a temporary name for a moment. A process that is killed
 * then leaves it behind: so the name is noted before in memory that processes share, and the
 * process that waits for the killed one removes the file. Without such memory nothing is noted.
 */

/* Share that memory with all processes that are forked from here on, if it can be mapped. */
void unfinished_share(void);

/* This process is about to create the file @name in the directory of @path; one at a time. */
void unfinished_begin(const char *path, const char *name);

/* The file has been renamed to its final name, or removed. */
void unfinished_end(void);

/* Process @pid has been killed: remove the file that it has left, if any. */
void unfinished_remove(pid_t pid);

#endif
