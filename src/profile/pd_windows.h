/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_WINDOWS_H
#define MPROF_PROFILE_PD_WINDOWS_H

#include "profile/trend.h"

/* What was told of node i, in d->windows and d->survivors, is told of node @to[i] from now on;
 * PD_NONE: it is dropped. What falls together is added up. Sorts them. */
void pd_windows_move(struct profile_data *d, const uint32_t *to);

/* The windows and survivors of a node are added to @s, whose n and window_ns are those of @d.
 * False: there are none, for of so few requests nothing is noted. */
bool pd_windows_add(const struct profile_data *d, uint32_t node, struct trend_series *s);

/* What is kept of a leaf is live at the end. */
static inline void pd_windows_add_leaf(const struct pd_leaf *l, struct trend_series *s)
{
	s->live += l->allocs - l->frees;
	s->live_bytes += (l->allocs - l->frees) * l->size;
}

/* An empty series of @d, for that. */
struct trend_series pd_windows_series(const struct profile_data *d);

#endif
