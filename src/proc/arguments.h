/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_ARGUMENTS_H
#define MPROF_PROC_ARGUMENTS_H

#include <sys/types.h>

/* The arguments of a process, NULL-terminated, for texts_free(); NULL if they cannot be read. */
char **proc_arguments(pid_t pid);

#endif
