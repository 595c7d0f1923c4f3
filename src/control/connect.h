/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Connections to the sockets of sessions. */
#ifndef MPROF_CONTROL_CONNECT_H
#define MPROF_CONTROL_CONNECT_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

/* A connection to the socket of the session of @pid in @dir, made before @until (ms of the
 * monotonic clock), or -errno: -ENOENT, there is no socket of a session. Programs of this user can
 * create files in our directory, too: anything but a socket counts as none, and so does a symbolic
 * link, which would lead elsewhere. A socket that no process listens to is removed. The descriptor
 * is the caller's to close(2). */
int connect_in(const char *dir, pid_t pid, int64_t until);

/* The same in whichever directory has the session, within @seconds; -errno with a sentence. */
int connect_to(pid_t pid, unsigned seconds, struct error *e);

/* @e says that the session of @pid has not answered for @seconds, and what to do if that is because
 * @by, the process that should answer, is stopped; 0: it is unknown. Returns -ETIMEDOUT. */
int connect_no_answer(pid_t pid, unsigned seconds, pid_t by, struct error *e);

/* @e says that @err, a -errno, keeps us from talking to the session of @pid. Returns @err. */
int connect_cannot_talk(pid_t pid, int err, struct error *e);

#endif
