/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SHARING_H
#define MPROF_ATTACH_SHARING_H

#include "proc/syscall.h"

#include <stdbool.h>

/*
 * Do two tasks run in the same memory? kcmp(2) says so, but seccomp filters forbid it (Docker's,
 * without CAP_SYS_PTRACE), kernels may be built without it, and it takes the right to trace both.
 */

/* Ask kcmp(2): 1 or 0, or -errno. */
int sharing_ask(pid_t a, pid_t b);

/**
 * Find out without it: change a setting that belongs to the memory of @a, the highest bit of
 * /proc/PID/coredump_filter, for a moment, and see whether @b has it then. False also if that
 * cannot be done.
 */
bool sharing_try(pid_t a, pid_t b);

/**
 * Does the child of a task share its memory, by the system call that the task has created it with?
 * @flags   those of a clone3(2), read from its struct in memory; 0: they cannot be read
 * @vforks  the kernel has reported PTRACE_EVENT_VFORK, which decides when the call does not
 */
bool sharing_by_call(const struct proc_syscall *c, uint64_t flags, bool vforks);

#endif
