/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_UNTOLD_H
#define MPROF_OUTPUTS_UNTOLD_H

#include "profile/profile_data.h"
#include "session/session.h"

/*
 * Of each profile there are some sentences. A session that follows a build has thousands: then they
 * are said of the first ones, and of the rest what it comes to. All are told where a report goes to
 * standard error, among whose lines they are no more, and to who wants to hear all.
 */

enum { UNTOLD_FIRST = 10 };	/* profiles of which all is told */

struct outputs;

/* Of the profiles of which nothing has been said by itself. */
struct untold {
	struct pd_totals totals;
	uint64_t lost;		/* events */
	size_t n;
	size_t noted;		/* those of which not all was seen */
	size_t saved, paged;	/* data files and pages */
	size_t older;		/* of both: those that took the place of another */
	char *data, *page;	/* the last of each */
};

/* Is nothing said of this image by itself? */
bool untold_is(const struct outputs *o, const struct image *i);

/* Count one. False: it is to be told of all the same, for something is missing in it. */
bool untold_add(struct outputs *o, const struct image *i, const struct profile_data *d);
void untold_saved(struct outputs *o, const char *path, bool older);
void untold_paged(struct outputs *o, const char *path, bool older);

/* Say what all came to, once. */
void untold_say(struct outputs *o);
void untold_release(struct untold *u);

#endif
