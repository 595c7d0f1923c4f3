/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SESSION_INTERNAL_H
#define MPROF_SESSION_SESSION_INTERNAL_H

/* Shared by session.c (images), sink.c (events of the observer) and suspend.c. */

#include "session/session.h"

/* Record a mark in the profile and all recorders. @task: the task that caused it; 0: none. */
void session_mark(struct image *i, enum recorder_mark mark, pid_t task, uint64_t now);

/* From @now on the image runs unobserved, or is observed again: session_mark(), and at the
 * beginning all live blocks count as missed. If it is in that state already, only the mark is
 * recorded. */
void session_pause_begins(struct image *i, pid_t task, uint64_t now);
void session_pause_ends(struct image *i, pid_t task, uint64_t now);

/* Functions of struct observer_sink that concern images. */
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
