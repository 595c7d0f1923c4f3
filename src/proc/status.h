/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_STATUS_H
#define MPROF_PROC_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What /proc/PID/status says about a task, proc(5). Fields that it does not have are 0, if nothing
 * else is said. */
struct proc_status {
	char name[128];		/* as there, with line breaks escaped; "?": not known */
	char state;		/* R, S, D, T, t, Z, X; X: not known, it has gone */
	pid_t tgid, ppid, tracer;
	pid_t inner;		/* its number in its own pid namespace */
	uint64_t threads;	/* of its process */
	bool has_ids;		/* the next four are known */
	uid_t uid, effective_uid;
	gid_t gid, effective_gid;
	uint64_t vm_size, vm_rss;	/* KiB; 0: it has ended, or is a kernel thread */
	/* Signals, as bits: signal n is bit n - 1. */
	uint64_t caught;	/* with a handler */
	uint64_t ignored;
	uint64_t blocked;	/* by this thread */
	uint64_t pending;	/* for this thread */
	unsigned seccomp;	/* 0: no filter restricts its system calls; 1: strict; 2: one
				   does */
	unsigned filters; /* how many; also 0 on kernels before 5.9 */
	bool no_new_privs;
	uint64_t capabilities;	/* the effective ones, as bits */
	unsigned pid_namespaces;	/* that it is in, below ours; 0: only in ours */
};

/* Parse the file's text. */
struct proc_status proc_status_parse(const char *text);

/* Read that of a task: tgid is 0 if there is no such task, or it has been waited for. */
struct proc_status proc_status(pid_t tid);

/* Has the task not ended? It may have been killed, and be about to end. */
bool proc_status_lives(const struct proc_status *s);

/* The same of a task, as it is now. */
bool proc_lives(pid_t tid);

/* Does it have a handler for a signal? */
bool proc_status_catches(const struct proc_status *s, int sig);

/* Does it have a capability, CAP_... of linux/capability.h? */
bool proc_status_can(const struct proc_status *s, int capability);

#endif
