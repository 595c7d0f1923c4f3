/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_AVAILABLE_H
#define MPROF_PROC_AVAILABLE_H

#include <stdint.h>

/* How much memory this process may take before the kernel's OOM killer acts, in bytes: the least of
 * what the machine has available and what each of its cgroups leaves, of version 1 or 2;
 * UINT64_MAX: not known. Source: proc(5), cgroups(7). */
uint64_t memory_available(void);

/* The same in a file system of which @root is the root: it has /proc and /sys/fs/cgroup. For
 * tests. */
uint64_t memory_available_in(const char *root);

#endif
