/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_INSIDE_H
#define MPROF_PROC_INSIDE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Files as a process sees them: below its own root, in its own mount namespace. Its owner may have
 * put symbolic links anywhere in the path, but none leads outside: absolute links and ".." end at
 * the process's root, and the magic links of /proc, which lead out of every root, are not followed.
 * Where the kernel cannot do that (openat2(2) exists since Linux 5.6, and a sandbox may forbid it),
 * no link is followed at all.
 */

/**
 * Open a regular file for reading, see regular_open().
 * @path   absolute, as the process sees it
 * @flags  O_NOFOLLOW: fail if the file itself is a link; or 0
 * Returns a descriptor or -errno.
 */
int proc_open_inside(pid_t pid, const char *path, int flags);

/* Can the kernel follow links inside of a root? */
bool proc_follows_inside(void);

#endif
