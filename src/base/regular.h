/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_REGULAR_H
#define MPROF_BASE_REGULAR_H

/*
 * Opens files whose names come from a traced program, or that it may have created. Only regular
 * files are opened: a pipe has a process at its other end, and opening a device may already do
 * something, such as rewinding a tape.
 */

/**
 * Open the regular file at @path for reading. It is inspected through an O_PATH descriptor, which
 * does not open it; then that very file is opened, even if the name leads to another one by now.
 * @dir    where a relative path begins, or AT_FDCWD
 * @flags  O_NOFOLLOW or 0
 * Returns a descriptor, or -errno: -ENOTSUP, it is something else, a link with O_NOFOLLOW too.
 */
int regular_open(int dir, const char *path, int flags);

/* The same for a file that has been found already: @path_fd was opened with O_PATH, and stays the
 * caller's. */
int regular_reopen(int path_fd);

#endif
