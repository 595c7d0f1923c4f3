/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_TEXT_FILE_H
#define MPROF_BASE_TEXT_FILE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * Open a file for reading that a user has named. It is refused if it is neither a regular file nor
 * a pipe of a shell: there may never be any input.
 * Returns a descriptor, or -errno: -EISDIR or -ENOTSUP, it is no such file.
 */
int text_file_open(const char *path);

/**
 * Read all of such a file.
 * @most  bytes
 * @len   set to their number, or to -errno; -EFBIG: there are more, -ENOTSUP: it is no file
 * Returns the text, for free(), in any case; NULL: there is none.
 */
char *text_file_read(const char *path, size_t most, ssize_t *len);

/* Why it could not be read. */
const char *text_file_why(int err);

#endif
