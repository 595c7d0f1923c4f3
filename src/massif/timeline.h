/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_TIMELINE_H
#define MPROF_MASSIF_TIMELINE_H

#include "massif/settings.h"
#include "record/recorder.h"

/*
 * The timeline that every profile keeps: what was live over the time, in a bounded number of points
 * that are chosen and halved as Massif's snapshots are, and what was live at the peak.
 */
struct timeline;

/* A recorder: struct recorder is its first member. @points: their number stays below it; >= 3.
 * NULL: out of memory. */
struct timeline *timeline_new(const struct massif_settings *settings, unsigned points,
			      const struct profile *p);

/* The points so far, the peak among them, in the order of time. 0 or -ENOMEM; *points is the
 * caller's. */
int timeline_points(const struct timeline *t, struct pd_point **points, size_t *n);

#endif
