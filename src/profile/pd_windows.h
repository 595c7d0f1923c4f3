/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_WINDOWS_H
#define MPROF_PROFILE_PD_WINDOWS_H

#include "profile/trend.h"

/* The windows and survivors of node i become those of node @to[i], added up where several nodes
 * become one; PD_NONE: they are dropped. Sorts d->windows and d->survivors. */
void pd_windows_move(struct profile_data *d, const uint32_t *to);

/* Adds the windows and survivors of @node to @s, whose n and window_ns must be those of @d. False:
 * there are none, as after few requests nothing is kept. */
bool pd_windows_add(const struct profile_data *d, uint32_t node, struct trend_series *s);

/* Adds the blocks that a leaf still has at the end. */
static inline void pd_windows_add_leaf(const struct pd_leaf *l, struct trend_series *s)
{
	s->live += l->allocs - l->frees;
	s->live_bytes += (l->allocs - l->frees) * l->size;
}

/* An empty series with the n and window_ns of @d, to add to. */
struct trend_series pd_windows_series(const struct profile_data *d);

#endif
