/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_FILENAME_H
#define MPROF_SESSION_FILENAME_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/**
 * Expand a file name: %p is @pid, %q{VAR} the environment variable VAR, %% a per cent sign.
 * Returns a string for the caller to free(), or NULL with a sentence in @e: another sequence, a
 * variable that is not set, or out of memory.
 */
char *filename_expand(const char *pattern, pid_t pid, struct error *e);

/* The same; besides, %n is @nth (1...), the number of the process's file. */
char *filename_expand_nth(const char *pattern, pid_t pid, unsigned nth, struct error *e);

/* Whether % and this letter is in it. */
bool filename_has(const char *pattern, char sequence);

/* Whether the name tells processes apart by itself (%p). */
bool filename_has_pid(const char *pattern);

#endif
