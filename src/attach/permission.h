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
	YAMA_DESCENDANTS, /* whom we have started */
	YAMA_PRIVILEGED,  /* nobody without CAP_SYS_PTRACE, not even their own children */
	YAMA_NOBODY,
};

/* As plain data. */
struct permission_facts {
	uid_t us, target;   /* the effective one of ours, the real one of the process */
	bool can_trace;	    /* we have CAP_SYS_PTRACE ... */
	bool can_write;	    /* ... and CAP_DAC_OVERRIDE, which other users' /proc/PID/mem takes */
	bool undumpable;    /* the process's files in /proc are not its user's */
	bool other_user_ns; /* it lives in another user namespace; if that may be asked */
	int yama;	    /* kernel.yama.ptrace_scope */
	char confined[128]; /* a security module's profile that it has; "": none */
};

struct permission_facts permission_look(pid_t pid);

/* The kernel's own answer, which it gives without the process being stopped or told: /proc/PID/mem
 * can be opened by who may attach, and by nobody else. 0 or -errno; of who runs no program 0. */
int permission_ask(pid_t pid);

/* It is not permitted: why, and what to do. */
void permission_why(const struct permission_facts *f, struct advice *a);

/* kernel.yama.ptrace_scope, below the folder @root that has /proc. */
int permission_yama(const char *root);

/* Why that forbids it to trace even what one has started; false: it does not. */
bool permission_forbids_all(int yama, bool can_trace, struct advice *a);

#endif
