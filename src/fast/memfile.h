/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_MEMFILE_H
#define MPROF_FAST_MEMFILE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * Open the file that a program has just made by memfd_create(2) as its descriptor @number, and give
 * it a size that nobody can change any more. Who shares the program's descriptors may have put
 * another file there meanwhile, one that we may write to and he may not: what is no new file in
 * memory is not opened, and its size stays what it is.
 * Returns a descriptor, or -errno: -ESTALE, it is another file.
 */
int memfile_open(pid_t pid, int number, size_t size);

#endif
