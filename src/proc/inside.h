/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_INSIDE_H
#define MPROF_PROC_INSIDE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Files as a process sees them: below its own root, in its own mount namespace. Whoever rules there
 * may have put links anywhere in the path, and none of them leads to what is not inside: an
 * absolute one, and "..", end at the process's root, and those of /proc, which lead out of every
 * root, are not followed. Where the kernel cannot do that (openat2(2) is of Linux 5.6, and may be
 * forbidden to us), no link is followed at all.
 */

/**
 * Open a regular file for reading, see regular_open().
 * @path   absolute, as the process has it
 * @flags  O_NOFOLLOW: nor is it a link itself; or 0
 * Returns a descriptor or -errno.
 */
int proc_open_inside(pid_t pid, const char *path, int flags);

/* Can the kernel follow links inside of a root? */
bool proc_follows_inside(void);

#endif
