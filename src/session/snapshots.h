/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SNAPSHOTS_H
#define MPROF_SESSION_SNAPSHOTS_H

#include "session/session.h"

/*
 * Profiles that are written when a condition on a program's memory comes true, each to a file of
 * its own: a program that is killed for its memory then leaves at least one.
 */

/* The most that are written for a process; the first one beyond is reported as left out. */
enum { SNAPSHOTS_MAX = 99 };

/* Allocate and free an image's state for its conditions. 0 or -ENOMEM. */
int snapshots_begin(struct image *i);
void snapshots_end(struct image *i);

/* Another image of the same process follows: it continues the numbers of the files. */
void snapshots_follow(struct image *next, const struct image *i);

/* A forked child begins with its parent's state: what it inherited is not growth of its own. */
void snapshots_fork(struct image *child, const struct image *parent);

/* Check all conditions; called periodically. */
void snapshots_look(struct image *i, uint64_t now_ns);

/* Check the conditions on live bytes: the program has more than image.live_above. */
void snapshots_live(struct image *i);

#endif
