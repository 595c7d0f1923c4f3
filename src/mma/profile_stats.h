/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_PROFILE_STATS_H
#define MPROF_MMA_PROFILE_STATS_H

#include "mma/stats.h"
#include "profile/profile_data.h"

/*
 * The statistics that a profile keeps of its program image, which are those of a log of it. (Only
 * where a realloc and another thread meet do times differ: a log has to delay an entry, a profile
 * counts it when it happens.)
 */
struct mma_stats mma_stats_of_profile(const struct pd_load *load, const struct pd_totals *totals);

#endif
