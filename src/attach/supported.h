/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_SUPPORTED_H
#define MPROF_ATTACH_SUPPORTED_H

#include "base/advice.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Is the program of process @pid, or in the file @path, of a kind that mprof cannot profile at all?
 * Why is set in @a. False: it is not, or execve(2) will fail with the reason. */
bool program_unsupported(pid_t pid, struct advice *a);
bool program_unsupported_file(const char *path, struct advice *a);

/* The same of the first @len bytes of a file. */
bool unsupported_elf(const void *head, size_t len, struct advice *a);

#endif
