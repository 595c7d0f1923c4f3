/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_JIT_MAP_H
#define MPROF_NAMING_JIT_MAP_H

#include <sys/types.h>

/**
 * The perf map of a process, /tmp/perf-PID.map as the process sees it: only a regular file that
 * belongs to the user of the process and has been written to since the process was started. Returns
 * a descriptor or -1.
 */
int jit_map_open(pid_t pid);

#endif
