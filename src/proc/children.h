/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_CHILDREN_H
#define MPROF_PROC_CHILDREN_H

#include <sys/types.h>

/*
 * Call @fn for each process that a process, none of whose threads runs, has made and not waited
 * for: what all of /proc would tell, at the price of that process alone. 0, or -errno: this kernel
 * does not list them, and nobody has been told of.
 */
int proc_children_each(pid_t pid, void (*fn)(void *ctx, pid_t child), void *ctx);

#endif
