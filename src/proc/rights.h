/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_RIGHTS_H
#define MPROF_PROC_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a task may do to files, as far as others can see it: credentials(7), capabilities(7),
 * namespaces(7), seccomp(2), and a security module's label. Landlock rules cannot be seen. */
struct proc_rights {
	bool known; /* all members below */
	uid_t uid;  /* the effective ones */
	gid_t gid;
	uint64_t capabilities;
	unsigned filters; /* of system calls */
	bool other_user_ns;   /* than ours */
	bool other_files;     /* it has another mount namespace or root directory */
	char groups[8192];    /* supplementary groups, decimal, separated by blanks */
	char label[256];      /* /proc/PID/attr/current; "": there is none */
};

/* Read the rights of a task; known: all could be read. */
struct proc_rights proc_rights(pid_t tid);

/* What @r lacks that @ours has, for a sentence, as in "ignored, for WHAT"; NULL: it may do all that
 * we may. */
const char *rights_lacking(const struct proc_rights *r, const struct proc_rights *ours);

/**
 * Does a task lack rights that we would use on its behalf, as to write a file that it names?
 * Credentials are per thread: @tid is the thread that asks for it.
 * Returns what it lacks, as rights_lacking(); NULL: nothing.
 */
const char *proc_lacks_our_rights(pid_t tid);

#endif
