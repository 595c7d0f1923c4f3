/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_WRITEALL_H
#define MPROF_BASE_WRITEALL_H

#include <stddef.h>
#include <sys/types.h>

/**
 * Write @n bytes to @fd, in as many steps as it takes; a signal does not end it.
 * Returns 0, or -errno of the write that failed: some bytes may have been written then.
 */
int write_all(int fd, const void *bytes, size_t n);

/* The same at a place of a file; -ENOSPC if it takes nothing more. */
int pwrite_all(int fd, const void *bytes, size_t n, off_t at);

#endif
