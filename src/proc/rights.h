/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_RIGHTS_H
#define MPROF_PROC_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a task may do to files, as far as that can be told: credentials(7), capabilities(7),
 * namespaces(7), seccomp(2), and what a security module says of it. Landlock tells nobody. */
struct proc_rights {
	bool known; /* all that follows */
	uid_t uid;  /* the effective ones */
	gid_t gid;
	uint64_t capabilities;
	unsigned filters; /* of system calls */
	bool other_user_ns;   /* than ours */
	bool other_files;     /* it has another mount namespace or root directory */
	char label[256];	     /* /proc/PID/attr/current; "": no module says anything */
};

struct proc_rights proc_rights(pid_t tid);

/* What @r has not that @ours has, for a sentence, as in "ignored, for WHAT"; NULL: it may do all
 * that we may. */
const char *rights_lacking(const struct proc_rights *r, const struct proc_rights *ours);

/**
 * May a task not do itself what we would do as it says, as to write a file? Credentials are a
 * thread's: it is the one that says so.
 * Returns why not, as rights_lacking(); NULL: it may.
 */
const char *proc_lacks_our_rights(pid_t tid);

#endif
