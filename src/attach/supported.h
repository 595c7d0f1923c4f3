/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SUPPORTED_H
#define MPROF_ATTACH_SUPPORTED_H

#include <sys/types.h>

/* Why the program that process @pid runs, or the file @path, cannot be profiled; NULL: it can, or
 * the kernel will tell. Good until the next call. */
const char *program_unsupported(pid_t pid);
const char *program_unsupported_file(const char *path);

#endif
