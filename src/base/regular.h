/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_REGULAR_H
#define MPROF_BASE_REGULAR_H

/*
 * Files whose names a program has told us, or may have put there. What is no regular file is not
 * opened at all: a pipe has somebody at its other end, and opening a device may already do
 * something, such as rewinding a tape.
 */

/**
 * Open the regular file at @path for reading. It is looked at by a descriptor that opens nothing
 * (O_PATH), and that very file is opened then, whatever stands at the name by now.
 * @dir    where a relative path begins, or AT_FDCWD
 * @flags  O_NOFOLLOW or 0
 * Returns a descriptor, or -errno: -ENOTSUP, it is something else, a link with O_NOFOLLOW too.
 */
int regular_open(int dir, const char *path, int flags);

/* The same of a file that has been found already: @path_fd was opened with O_PATH, and stays the
 * caller's. */
int regular_reopen(int path_fd);

#endif
