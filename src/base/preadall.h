/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_PREADALL_H
#define MPROF_BASE_PREADALL_H

#include <stddef.h>
#include <sys/types.h>

/* As pread(2), but complete: fewer than @n bytes mean the end of the file. pread(2) itself may give
 * less at any time, and some network file systems do. Bytes, or -1 with errno. */
ssize_t pread_all(int fd, void *to, size_t n, off_t at);

/* Read all of a file, *size bytes, and add a NUL; for free(). NULL with errno: it cannot be read,
 * or there is no memory. */
void *pread_whole(int fd, size_t *size);

#endif
