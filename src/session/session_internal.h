/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SESSION_INTERNAL_H
#define MPROF_SESSION_SESSION_INTERNAL_H

/* What the files of the session share: session.c (images), sink.c (what the observer tells),
 * suspend.c. */

#include "session/session.h"

/* Something other than an allocation, for the profile and all recorders. @task: 0 if nobody's. */
void session_mark(struct image *i, enum recorder_mark mark, pid_t task, uint64_t now);

/* Nothing will be seen of it from @now on, though it runs, or everything again: session_mark(), and
 * blocks that are there count as missed. Called again in a pause, or out of one, they only mark. */
void session_pause_begins(struct image *i, pid_t task, uint64_t now);
void session_pause_ends(struct image *i, pid_t task, uint64_t now);

/* Of struct observer_sink, what is about images as such. */
bool session_wants(void *ctx, pid_t pid);
void *session_begins(void *ctx, pid_t pid);
void *session_forked(void *ctx, void *parent, pid_t child);
void session_observed(void *image, struct observed *o);
void session_unobserved(void *ctx, pid_t pid, void *image, enum unobserved why,
			const char *why_not);
void session_gone(void *image, const struct observed_counts *counts);
void session_ended(void *ctx, pid_t pid, int wstatus);
void session_reaped(void *ctx, pid_t pid, int wstatus);

#endif
