/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SNAPSHOTS_H
#define MPROF_SESSION_SNAPSHOTS_H

#include "session/session.h"

/*
 * Profiles that are written when a condition on a program's memory comes true, each into a file of
 * its own, so that a program which is killed for its memory has left one.
 */

/* So many are written of a process; what comes true afterwards is said to be left out, once. */
enum { SNAPSHOTS_MAX = 99 };

/* What an image needs for it. 0 or -ENOMEM. */
int snapshots_begin(struct image *i);
void snapshots_end(struct image *i);

/* Another image of the same process follows: their files are numbered on. */
void snapshots_follow(struct image *next, const struct image *i);

/* What @child had by fork it has not come to by itself: it begins where its parent is. */
void snapshots_fork(struct image *child, const struct image *parent);

/* Time has passed: look at all conditions. */
void snapshots_look(struct image *i, uint64_t now_ns);

/* The program has more live bytes than image.live_above: look at those conditions. */
void snapshots_live(struct image *i);

#endif
