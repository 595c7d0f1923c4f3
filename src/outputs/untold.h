/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_UNTOLD_H
#define MPROF_OUTPUTS_UNTOLD_H

#include "profile/profile_data.h"
#include "session/session.h"

/*
 * Each profile has some sentences. A session that follows a build has thousands of profiles: then
 * the sentences are said for the first ones, and the rest is summed up. All are said if the report
 * goes to standard error, where they do not add much, and with --verbose.
 */

enum { UNTOLD_FIRST = 10 };	/* so many profiles get their own sentences */

struct outputs;

/* The sum over the profiles without sentences of their own. */
struct untold {
	struct pd_totals totals;
	uint64_t lost;		/* events */
	size_t n;
	size_t noted;		/* profiles that were not observed completely */
	size_t saved, paged;	/* data files and pages */
	size_t older;		/* data files and pages that replaced older ones */
	char *data, *page;	/* name of the last one of each */
};

/* True if this image gets no sentences of its own. */
bool untold_is(const struct outputs *o, const struct image *i);

/* Add an image to the sum. False: say its sentences all the same, since something is missing in
 * it. */
bool untold_add(struct outputs *o, const struct image *i, const struct profile_data *d);
void untold_saved(struct outputs *o, const char *path, bool older);
void untold_paged(struct outputs *o, const char *path, bool older);

/* Say the sum, once. */
void untold_say(struct outputs *o);
void untold_release(struct untold *u);

#endif
