/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_READALL_H
#define MPROF_BASE_READALL_H

#include <stddef.h>

/**
 * Read @n bytes from a pipe or socket, in as many steps as it takes; signals do not interrupt it.
 * Returns 0, -EPIPE: it ended before, or -errno of the read that failed.
 */
int read_all(int fd, void *to, size_t n);

#endif
