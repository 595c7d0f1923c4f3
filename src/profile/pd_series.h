/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_SERIES_H
#define MPROF_PROFILE_PD_SERIES_H

#include "profile/profile_data.h"

/*
 * The call sites of a series as people know them: those of one function (by its name), file and
 * line are one, whatever their addresses.
 */
struct pd_series_sites {
	uint32_t *sites; /* the first of each that are one; the heaviest over all points first */
	size_t n;	 /* <= PD_SERIES_SITES: those that hold most */
	uint32_t *of;	 /* by site, of which nothing may have been noted: where its name is in
			    sites[]; PD_NONE: it is in the rest */
};

/* 0 or -ENOMEM; *s is the caller's, for pd_series_sites_release(), in either case. */
int pd_series_sites(const struct profile_data *d, struct pd_series_sites *s);
void pd_series_sites_release(struct pd_series_sites *s);

/* Sort d->held[], add up what is of one point and site, and leave only what is of the heaviest
 * sites. 0 or -ENOMEM. */
int pd_series_settle(struct profile_data *d);

/* Which of @n > @max points of a timeline are kept if there may be @max: as many as there may, at
 * equal distances in their order, the first, the last and @peak (an index, or SIZE_MAX) among them.
 * @at: their indices, room for @max >= 3. Returns how many they are. */
size_t pd_series_pick(size_t n, size_t max, size_t peak, size_t *at);

#endif
