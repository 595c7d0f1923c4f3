/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_VFORK_H
#define MPROF_ATTACH_VFORK_H

#include "proc/syscall.h"

#include <stdbool.h>

/*
 * A thread in vfork(2), or in a clone(2) that does the same, cannot be stopped before its child has
 * executed a program or ended; and the child runs in its memory until then.
 */

/* Is this such a call? @flags: those of a clone3(2), read from its struct in memory. */
bool vfork_is_call(const struct proc_syscall *c, uint64_t flags);

/* Is the task asleep in one? True also if it is just about to create the child, or to go on after
 * it. */
bool vfork_sleeps(pid_t tid);

#endif
