/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SUPPORTED_H
#define MPROF_ATTACH_SUPPORTED_H

#include "base/advice.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Can the program that process @pid runs, or the file @path, not be profiled, whatever is done? Why
 * is told in @a. False: it can, or the kernel will tell. */
bool program_unsupported(pid_t pid, struct advice *a);
bool program_unsupported_file(const char *path, struct advice *a);

/* The same of the first @len bytes of a file. */
bool unsupported_elf(const void *head, size_t len, struct advice *a);

#endif
