/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_SERIES_H
#define MPROF_PROFILE_PD_SERIES_H

#include "profile/profile_data.h"

/*
 * The call sites of a series as people know them: sites with the same function name, file and line
 * are one, whatever their addresses.
 */
struct pd_series_sites {
	uint32_t *sites; /* one site of each; the heaviest over all points first */
	size_t n;	 /* <= PD_SERIES_SITES: only the heaviest */
	uint32_t *of;	 /* by number of any site: the index in sites[] of its group; PD_NONE:
			    it is in the rest */
};

/* 0 or -ENOMEM; *s must be given to pd_series_sites_release() in either case. */
int pd_series_sites(const struct profile_data *d, struct pd_series_sites *s);
void pd_series_sites_release(struct pd_series_sites *s);

/* Sorts d->held[], adds up what is of one point and site, and drops all but the heaviest sites.
 * 0 or -ENOMEM. */
int pd_series_settle(struct profile_data *d);

/* Which of the @n points of a timeline to keep if there may be @max: all, or @max at equal
 * distances in their order, among them the first, the last and @peak (an index, or SIZE_MAX).
 * @at: their indices, room for @max >= 3. Returns how many. */
size_t pd_series_pick(size_t n, size_t max, size_t peak, size_t *at);

#endif
