/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_NOTES_H
#define MPROF_CONTROL_NOTES_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * What became of a session that is over, for clients that ask then: a sentence in a file PID.ended
 * in the directory of its control socket. At most NOTES_MAX are kept, for about a day.
 */
enum { NOTES_MAX = 64, NOTES_SECONDS = 24 * 3600 };

/* Write one, and remove those that are too old or too many. Errors are ignored. */
void note_leave(const char *dir, pid_t pid, const char *sentence);

/* Remove it: the process has another session. */
void note_remove(const char *dir, pid_t pid);

/* Read the note of *pid, or the newest if *pid is 0, which is set then. False: there is none. */
bool note_find(const char *dir, pid_t *pid, struct error *sentence);

#endif
