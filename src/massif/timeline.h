/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_TIMELINE_H
#define MPROF_MASSIF_TIMELINE_H

#include "massif/settings.h"
#include "record/recorder.h"

/*
 * The timeline that every profile has: live bytes over time, in a bounded number of points, which
 * are chosen and halved as Massif's snapshots are; and the point of the peak.
 */
struct timeline;

/* Make a timeline; its first member is struct recorder. @points: there will be fewer than this; at
 * least 3. NULL: out of memory. */
struct timeline *timeline_new(const struct massif_settings *settings, unsigned points,
			      const struct profile *p);

/* The points so far, including the peak, ordered by time. 0 or -ENOMEM; *points is for the caller
 * to free(). */
int timeline_points(const struct timeline *t, struct pd_point **points, size_t *n);

#endif
