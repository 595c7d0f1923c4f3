/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SYSCALLS_H
#define MPROF_ATTACH_SYSCALLS_H

#include "page_event.h"
#include "syscall_call.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kernel;

/* What is kept of a task's system call while the task is in it. */
struct syscall_entry {
	bool inside;
	uint64_t nr, args[6], begun;
};

/**
 * A task has stopped at a system call: note its entry, or report its exit.
 * @n  counts entries and exits of the calls of all tasks
 * Returns true if a call has returned that was seen to begin: *out.
 * Source: ptrace(2), PTRACE_GET_SYSCALL_INFO (Linux 5.3).
 */
bool syscall_stopped(const struct kernel *kernel, pid_t tid, struct syscall_entry *entry,
		     uint64_t *n, struct syscall_call *out);

/* Has the call changed what is mapped, and how? All of *e but the time is filled in. */
bool page_event_of(const struct syscall_call *c, struct page_event *e);

#endif
