/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_TELL_H
#define MPROF_OUTPUTS_TELL_H

#include "base/say.h"
#include "outputs/settings.h"
#include "profile/profile_data.h"
#include "session/session.h"

/* What the tables have no column for: sentences about a profile. */

/* Told each module that lacks names, lines or types. */
typedef void lacking_fn(void *ctx, const struct pd_module *m);

/* Where the names came from. */
void tell_names(say_fn *say, const struct profile_data *d, enum tell_names which,
		lacking_fn *lacking, void *ctx);

/* Of which files there are no names because who read them was ended: nothing if there are none. */
void tell_unread(say_fn *say, const struct profile_data *d);

/* When the peak was and how high; nothing if that is not known. */
void tell_peak(say_fn *say, const struct profile_data *d);

/* Why chains are truncated, and how many were followed by guessing; nothing if none is. */
void tell_chains(say_fn *say, const struct profile_data *d);

/* Which engine saw the calls, or that this is not recorded. */
void tell_engines(say_fn *say, const struct profile_data *d);

/* If only requests of some sizes were recorded. */
void tell_sizes(say_fn *say, const struct profile_data *d);

/* How much slower the program was; nothing if that is not known (0). @before: how the sentence
 * begins. */
void tell_slowdown(say_fn *say, double slowdown, const char *before);

/* Who it was, and what was counted of it. */
void tell_counts(say_fn *say, const struct image *i, const struct profile_data *d);

/* Which programs are left out of what is written, since they have executed another one: a sentence,
 * for free(), or NULL: there are none, or out of memory. */
char *tell_left_out(const struct image *list);

/* How many processes that were started are not profiled, and how they would be. False: there are
 * none. */
bool tell_unfollowed(const struct session *s, struct error *e);

/* How much work that was: of an image, and once of the whole session. */
void tell_effort(say_fn *say, const struct image *i, const struct profile_data *d);
void tell_session_effort(say_fn *say, const struct session *s, const struct session_cost *cost);

#endif
