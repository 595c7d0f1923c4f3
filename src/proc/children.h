/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_CHILDREN_H
#define MPROF_PROC_CHILDREN_H

#include <sys/types.h>

/*
 * Call @fn for each child of a process that it has not waited for; none of its threads may run.
 * Finds what a search of all of /proc would, at the cost of that process alone. 0, or -errno: this
 * kernel does not list children, and @fn was not called.
 */
int proc_children_each(pid_t pid, void (*fn)(void *ctx, pid_t child), void *ctx);

#endif
