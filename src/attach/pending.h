/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_PENDING_H
#define MPROF_ATTACH_PENDING_H

#include "attach/kernel.h"

/* Is the SIGTRAP of a trap instruction already on its way to a task that was stopped before it? One
 * that is blocked is the program's own doing: the kernel opens the mask for a trap. */
bool pending_trap(const struct kernel *k, pid_t tid);

#endif
