/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_MEMFILE_H
#define MPROF_FAST_MEMFILE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * Open the file that a program has just made by memfd_create(2) as its descriptor @number, set its
 * size and seal that. Another process that shares the program's descriptors may have put another
 * file there in the meantime, one that mprof may write to and that process may not: only a new file
 * in memory is opened, and the size of any other file stays as it is.
 * Returns a descriptor, or -errno: -ESTALE, it is another file.
 */
int memfile_open(pid_t pid, int number, size_t size);

#endif
