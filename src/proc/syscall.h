/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_SYSCALL_H
#define MPROF_PROC_SYSCALL_H

#include <stdint.h>
#include <sys/types.h>

/* The system call that a task is in, as /proc/PID/syscall tells: proc(5). */
struct proc_syscall {
	long number;	/* -1: in none */
	uint64_t args[6];	/* 0 if it is in none */
	uint64_t sp, pc;
};

/* From the file's text. 0; -EBUSY: it runs; -EINVAL. */
int proc_syscall_parse(const char *text, struct proc_syscall *c);

/* Of a task that does not run. The same, or -errno: it is gone, or may not be asked. */
int proc_syscall(pid_t tid, struct proc_syscall *c);

#endif
