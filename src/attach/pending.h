/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_PENDING_H
#define MPROF_ATTACH_PENDING_H

#include "attach/kernel.h"

/* Is the SIGTRAP of a trap instruction already on its way to a task that was stopped before it? A
 * SIGTRAP that is blocked is not one: for a trap the kernel unblocks it. */
bool pending_trap(const struct kernel *k, pid_t tid);

#endif
