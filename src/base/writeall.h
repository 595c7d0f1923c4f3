/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_WRITEALL_H
#define MPROF_BASE_WRITEALL_H

#include <stddef.h>
#include <sys/types.h>

/**
 * Write @n bytes to @fd, in as many steps as it takes; signals do not interrupt it.
 * Returns 0, or -errno of the write that failed: some bytes may have been written then.
 */
int write_all(int fd, const void *bytes, size_t n);

/* The same at an offset of a file; -ENOSPC if nothing more can be written. */
int pwrite_all(int fd, const void *bytes, size_t n, off_t at);

#endif
