/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_TEXT_FILE_H
#define MPROF_BASE_TEXT_FILE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * Open for reading a file that somebody has written for us. What is neither a regular file nor a
 * pipe of a shell may never have anything, and is refused.
 * Returns a descriptor, or -errno: -ENOTSUP, it is no file.
 */
int text_file_open(const char *path);

/**
 * All of such a file.
 * @most  bytes
 * @len   set to their number, or to -errno; -EFBIG: there are more, -ENOTSUP: it is no file
 * Returns what is to be freed, in any case.
 */
char *text_file_read(const char *path, size_t most, ssize_t *len);

/* Why it could not be read. */
const char *text_file_why(int err);

#endif
