/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_PENDING_H
#define MPROF_ATTACH_PENDING_H

#include "attach/kernel.h"

/* Is the SIGTRAP of a trap instruction pending for a task that stopped for something else first? A
 * blocked SIGTRAP is the program's own: for a trap the kernel unblocks it. */
bool pending_trap(const struct kernel *k, pid_t tid);

#endif
