/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_SYSCALL_H
#define MPROF_PROC_SYSCALL_H

#include <stdint.h>
#include <sys/types.h>

/* The system call that a task is in, by /proc/PID/syscall: proc(5). */
struct proc_syscall {
	long number;	/* -1: in none */
	uint64_t args[6];	/* 0 if it is in none */
	uint64_t sp, pc;
};

/* Parse the file's text. 0; -EBUSY: the task runs; -EINVAL: it is not valid. */
int proc_syscall_parse(const char *text, struct proc_syscall *c);

/* Read that of a task that does not run. The same, or -errno: it has gone, or may not be read. */
int proc_syscall(pid_t tid, struct proc_syscall *c);

#endif
