/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_PERMISSION_H
#define MPROF_ATTACH_PERMISSION_H

#include "base/advice.h"

#include <stdbool.h>
#include <sys/types.h>

/* May a process be traced by us, and if not, what is in the way? Source: ptrace(2), "Ptrace access
 * mode checking". */

/* What yama(8) allows, kernel.yama.ptrace_scope. */
enum {
	YAMA_ALL,	  /* also: the kernel has no yama */
	YAMA_DESCENDANTS, /* only our descendants */
	YAMA_PRIVILEGED,  /* nobody without CAP_SYS_PTRACE, not even their own children */
	YAMA_NOBODY,
};

/* As plain data. */
struct permission_facts {
	uid_t us, target;   /* our effective uid, and the real uid of the process */
	bool can_trace;	    /* we have CAP_SYS_PTRACE ... */
	bool can_write;	    /* ... and CAP_DAC_OVERRIDE, which other users' /proc/PID/mem needs */
	bool undumpable;    /* the process's files in /proc are not its user's */
	bool other_user_ns; /* it is in another user namespace, as far as we may know */
	int yama;	    /* kernel.yama.ptrace_scope */
	char confined[128]; /* the security module's profile that confines it; "": none */
};

/* Read them, without stopping the process. */
struct permission_facts permission_look(pid_t pid);

/* Ask the kernel, without stopping or disturbing the process: /proc/PID/mem can be opened only by a
 * process that may attach. Returns 0 or -errno; 0 for a kernel thread or a zombie. */
int permission_ask(pid_t pid);

/* Tracing is not permitted: set why, and what to do. */
void permission_why(const struct permission_facts *f, struct advice *a);

/* kernel.yama.ptrace_scope, read below the folder @root that has /proc; YAMA_ALL if there is
 * none. */
int permission_yama(const char *root);

/* Does that forbid tracing even our own children? Why is set in @a. */
bool permission_forbids_all(int yama, bool can_trace, struct advice *a);

#endif
