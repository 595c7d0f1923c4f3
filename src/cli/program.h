/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PROGRAM_H
#define MPROF_CLI_PROGRAM_H

#include "base/advice.h"

#include <limits.h>
#include <sys/types.h>

/**
 * The file that a shell would run for @name: @name itself if it has a slash, otherwise the first in
 * PATH.
 * @status  set to STATUS_NOT_FOUND or STATUS_CANNOT_RUN if it cannot be run
 * Returns a string for the caller to free(), or NULL with the reason in @a.
 */
char *program_find(const char *name, int *status, struct advice *a);

/* The same with a sentence, "cannot run NAME: WHY; REMEDY". */
char *program_find_or_say(const char *name, int *status);

/* The file that the kernel executes in the end for a script, following "#!" as often as necessary.
 * @file: set to it; @path itself, if that is no script. */
void program_behind_script(const char *path, char file[PATH_MAX]);

/* The same, and if that is env(1), the program that env executes, as for "#!/usr/bin/env python3";
 * env itself, if that cannot be told. */
void program_in_the_end(const char *path, char file[PATH_MAX]);

#endif
