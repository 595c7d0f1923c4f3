/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SESSION_INTERNAL_H
#define MPROF_SESSION_SESSION_INTERNAL_H

/* What the files of the session share: session.c (images, and what the tracer tells), session_sink.c (what
 * the breakpoints tell), session_suspend.c. Nobody else includes this. */

#include "session/session.h"

/* The image that a task runs; NULL: none that is recorded. */
struct image *session_image_of(const struct task *task);

/* Where the events of an image go. */
struct watch_sink session_sink(struct image *i);

/* Something other than an allocation, for the profile and all recorders. @task: 0 if nobody's. */
void session_mark(struct image *i, enum recorder_mark mark, pid_t task, uint64_t now);

#endif
