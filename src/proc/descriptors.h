/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_DESCRIPTORS_H
#define MPROF_PROC_DESCRIPTORS_H

#include <sys/types.h>

/* The number of a process's file descriptor for a file in memory, memfd_create(2), that was made
 * with this name; -1: there is none, or it cannot be told. */
int proc_find_memfd(pid_t pid, const char *name);

#endif
