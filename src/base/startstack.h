/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_STARTSTACK_H
#define MPROF_BASE_STARTSTACK_H

#include <stdint.h>
#include <sys/types.h>

/* Where the stack pointer of a process's first thread was when its program began: 0 if that is not known
 * (it is gone, or may not be asked). Source: proc(5), startstack of /proc/PID/stat. */
uint64_t start_stack(pid_t pid);

#endif
