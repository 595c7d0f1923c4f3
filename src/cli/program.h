/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PROGRAM_H
#define MPROF_CLI_PROGRAM_H

#include "base/error.h"

#include <sys/types.h>

/**
 * The file that a shell would run for @name: itself if it has a slash, else the first in PATH.
 * @status  set to STATUS_NOT_FOUND or STATUS_CANNOT_RUN if it cannot be run
 * Returns a string for the caller to free(), or NULL with a sentence in @e.
 */
char *program_find(const char *name, int *status, struct error *e);

#endif
