/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_PROFILE_STATS_H
#define MPROF_MMA_PROFILE_STATS_H

#include "mma/stats.h"
#include "profile/profile_data.h"

/*
 * The statistics of a program image from its profile, equal to those of its log. (Except for times
 * when a realloc and another thread meet: a log has to delay an entry, a profile counts it at
 * once.)
 */
struct mma_stats mma_stats_of_profile(const struct pd_load *load, const struct pd_totals *totals);

#endif
