/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_UNFINISHED_H
#define MPROF_BASE_UNFINISHED_H

#include <sys/types.h>

/*
 * A file that takes the place of another has a name of its own for a moment. Whoever is killed then
 * leaves it, so it is noted before in memory that processes share, and removed by the one that is
 * told of that death. Without such memory nothing is noted.
 */

/* Share that memory with those that are forked from here on. Without memory there is none. */
void unfinished_share(void);

/* This process is about to make the file @name in the directory of @path; one at a time. */
void unfinished_begin(const char *path, const char *name);

/* It is in its place, or has been removed. */
void unfinished_end(void);

/* Process @pid has been killed: remove what it has left. */
void unfinished_remove(pid_t pid);

#endif
