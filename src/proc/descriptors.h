/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_DESCRIPTORS_H
#define MPROF_PROC_DESCRIPTORS_H

#include <stdint.h>
#include <sys/types.h>

/* @fd: a file descriptor of the process. Anything but 0 ends the walk. */
typedef int proc_descriptor_fn(int fd, void *ctx);

/**
 * Call @fn for each file descriptor of a process whose link in /proc/PID/fd says just @target.
 * Returns 0, what @fn has returned that is not 0, or -errno: they cannot be listed.
 */
int proc_descriptors_each(pid_t pid, const char *target, proc_descriptor_fn *fn, void *ctx);

/* The number of a process's file descriptor for a memfd_create(2) file of this name; -1: there is
 * none, or the descriptors cannot be listed. */
int proc_find_memfd(pid_t pid, const char *name);

/* Bytes of memory that the memfd_create(2) files take which a process has open; what cannot be read
 * counts 0. No limit of setrlimit(2) restricts their sum. */
uint64_t proc_memfd_bytes(pid_t pid);

#endif
