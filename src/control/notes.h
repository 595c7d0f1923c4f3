/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_NOTES_H
#define MPROF_CONTROL_NOTES_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * What became of a session that is over, for who asks for it then: a sentence in a file PID.ended
 * in the directory of its control socket. There are never more than a few, and none for longer than
 * a day or so.
 */
enum { NOTES_MAX = 64, NOTES_SECONDS = 24 * 3600 };

/* Leave one, and remove those that are too old or too many. That it cannot be written matters to
 * nobody. */
void note_leave(const char *dir, pid_t pid, const char *sentence);

/* The process has another session. */
void note_remove(const char *dir, pid_t pid);

/* That of *pid, or the newest if *pid is 0, which is set then. False: there is none. */
bool note_find(const char *dir, pid_t *pid, struct error *sentence);

#endif
